import { isRecord } from '#jsonrpc';

/** What the handshake of the older revisions agreed on; every `initialize` begins a new one. */
export class Handshake {
  #id: string | undefined;
  #version: string | undefined;
  #headers: readonly string[] = [];
  /** The server has said that it no longer knows the session. */
  lost = false;

  get id(): string | undefined {
    return this.#id;
  }

  get version(): string | undefined {
    return this.#version;
  }

  /** What every request within the session says. */
  get headers(): readonly string[] {
    return this.#headers;
  }

  /** Takes the id from the headers of the answer; one that could not be sent back is none. */
  name(id: string | string[] | undefined): void {
    if (typeof id !== 'string' || !/^[\x21-\x7e]+$/.test(id)) return;
    this.#id = id;
    this.#write();
  }

  /** Takes the version from the result, and forgets the session when there is none. */
  conclude(answer: Readonly<Record<string, unknown>>): void {
    const { result } = answer;
    const version = isRecord(result) ? result['protocolVersion'] : undefined;
    if (typeof version === 'string' && /^[\x21-\x7e]+$/.test(version)) this.#version = version;
    else this.#id = undefined;
    this.#write();
  }

  #write(): void {
    this.#headers = [
      ...(this.#id === undefined ? [] : ['mcp-session-id', this.#id]),
      ...(this.#version === undefined ? [] : ['mcp-protocol-version', this.#version]),
    ];
  }
}
