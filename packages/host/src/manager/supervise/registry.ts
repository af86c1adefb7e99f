import { KitError } from 'mcp-kit/internal';
import type { ServerEntry } from '../config/entry.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

/** The servers of a manager, by name. One that leaves has ended before another of its name starts. */
export class ServerRegistry {
  readonly #servers = new Map<string, Supervisor>();
  /** Those that are no longer here, until they have ended. */
  readonly #leaving = new Map<string, Promise<void>>();

  /** All, sorted by name. */
  get all(): readonly Supervisor[] {
    const all = [...this.#servers.values()];
    return all.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Those that are in a configuration. */
  get entries(): readonly ServerEntry[] {
    return this.all.flatMap(({ entry }) => entry ?? []);
  }

  find(name: string): Supervisor | undefined {
    return this.#servers.get(name);
  }

  /** The one of that name; throws which there are when there is none. */
  get(name: string): Supervisor {
    const supervisor = this.#servers.get(name);
    if (supervisor !== undefined) return supervisor;
    const known = this.all.map((one) => one.name).join(', ');
    throw new KitError('invalid_argument', `unknown mcp server: ${name}`, {
      hint: known === '' ? 'No servers are configured.' : `There are: ${known}.`,
    });
  }

  add(options: Omit<SupervisorOptions, 'after'>): Supervisor {
    const { name } = options;
    const supervisor = new Supervisor({ ...options, after: this.#leaving.get(name) });
    this.#servers.set(name, supervisor);
    return supervisor;
  }

  remove(name: string): Supervisor | undefined {
    const supervisor = this.#servers.get(name);
    if (supervisor === undefined) return undefined;
    this.#servers.delete(name);
    const leaving = Promise.all([this.#leaving.get(name), supervisor.end()]).then(() => {
      if (this.#leaving.get(name) === leaving) this.#leaving.delete(name);
    });
    this.#leaving.set(name, leaving);
    return supervisor;
  }

  /** Settles when whoever of that name has left has ended. */
  async hasLeft(name: string): Promise<void> {
    await this.#leaving.get(name);
  }

  /** Ends all for good. */
  async end(): Promise<void> {
    const ending = this.all.map((supervisor) => supervisor.end());
    await Promise.all([...ending, ...this.#leaving.values()]);
  }
}
