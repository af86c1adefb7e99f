import { KitError } from 'mcp-kit/internal';
import { usageError } from '../args.ts';
import type { Globals } from '../globals.ts';
import { warn } from '../output.ts';
import { plainField, plainLine } from '../terminal/plain-text.ts';
import { Questioner } from '../terminal/question.ts';
import { rememberSecret } from '../terminal/secrets.ts';
import { createStyle, wantsColor } from '../terminal/style.ts';
import { isAttended } from './change.ts';
import type { Settings } from './settings.ts';
import type { Input } from './server-json.ts';

interface Context {
  readonly globals: Globals;
  readonly stop: AbortSignal;
  readonly settings: Settings;
}

/** The answers to what a server asks for: as given on the command line, as preset, or asked for on a terminal. */
export async function collectAnswers(
  inputs: readonly Input[],
  { globals, stop, settings }: Context,
): Promise<ReadonlyMap<string, string>> {
  const given = { ...settings.env, ...settings.headers, ...settings.answers };
  const answers = new Map<string, string>();
  for (const { name, preset, choices } of inputs) {
    const answer = Object.hasOwn(given, name) ? given[name] : preset;
    if (answer === undefined) continue;
    if (choices.length > 0 && !choices.includes(answer)) throw notAChoice(name, choices);
    answers.set(name, answer);
  }
  const unknown = Object.keys(settings.answers).find((name) =>
    inputs.every((one) => one.name !== name),
  );
  if (unknown !== undefined) {
    const known = inputs.map(({ name }) => name).join(', ');
    throw usageError(
      `--set ${unknown}: the server asks for no such thing`,
      known === '' ? 'It asks for nothing.' : `It asks for ${known}.`,
    );
  }
  const open = inputs.filter(({ name }) => !answers.has(name));
  const required = open.filter(({ isRequired }) => isRequired);
  if (required.length > 0 && !isAttended()) throw unanswered(required);
  const asked = await askAll(required, { globals, stop });
  const optional = open.filter(({ isRequired }) => !isRequired).map(({ name }) => name);
  if (optional.length > 0) {
    warn(globals, plainField(`Not set, and not needed: ${optional.join(', ')} (--set NAME=VALUE)`));
  }
  return new Map([...answers, ...asked]);
}

function notAChoice(name: string, choices: readonly string[]): Error {
  return usageError(`${name} cannot be that`, `Use one of: ${choices.join(', ')}.`);
}

function unanswered(required: readonly Input[]): Error {
  const lines = required.map(({ name, description = '' }) =>
    `  --set ${name}=VALUE  ${plainLine(description)}`.trimEnd(),
  );
  return usageError(
    `the server needs ${required.map(({ name }) => name).join(', ')}, and nobody can be asked here`,
    `Add:\n${lines.join('\n')}\nA value such as '\${NAME}' refers to a variable of your environment.`,
  );
}

const tries = 3;

async function askAll(
  inputs: readonly Input[],
  { globals, stop }: Pick<Context, 'globals' | 'stop'>,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  if (inputs.length === 0) return answers;
  const { noColor } = globals;
  const { bold, dim } = createStyle({
    color: wantsColor(process.stderr, process.env, { noColor }),
  });
  const questioner = new Questioner(stop);
  try {
    for (const input of inputs) {
      if (input.description !== undefined) questioner.tell(dim(plainLine(input.description)));
      answers.set(input.name, await askOne(input, { questioner, bold }));
    }
  } finally {
    questioner.close();
  }
  return answers;
}

async function askOne(
  { name, isSecret, choices }: Input,
  {
    questioner,
    bold,
  }: { readonly questioner: Questioner; readonly bold: (text: string) => string },
): Promise<string> {
  // A secret is better off in the environment than in a file.
  const variable = name.toUpperCase().replaceAll(/[^A-Z0-9_]+/g, '_');
  const reference = `\${${variable}}`;
  const usual = isSecret ? ` [Enter: ${reference} of your environment]` : '';
  const list = choices.length === 0 ? '' : ` (${choices.join(', ')})`;
  for (let left = tries; left > 0; left--) {
    const prompt = `${bold(plainLine(name))}${plainLine(list)}${usual}: `;
    const outcome = await questioner.ask(prompt, { secret: isSecret });
    if (typeof outcome !== 'object') {
      throw new KitError('aborted', `${name} was not given: nothing was written`);
    }
    const { line } = outcome;
    if (line === '' && isSecret) return reference;
    if (line !== '' && (choices.length === 0 || choices.includes(line))) {
      if (isSecret) rememberSecret(line);
      return line;
    }
    questioner.tell(line === '' ? '  it is needed' : `  use one of: ${choices.join(', ')}`);
  }
  throw new KitError('aborted', `${name} was not given: nothing was written`);
}
