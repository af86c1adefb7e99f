import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ElicitForm, ElicitVisit, InputContext, InputHandlers } from 'mcp-kit/client';
import type { ElicitResult } from 'mcp-kit/protocol';
import { expectation, readAnswer, readForm, type Field } from './fields.ts';
import { plainLine, plainText } from './plain-text.ts';
import { Questioner } from './question.ts';
import { mask, rememberSecret } from './secrets.ts';
import { pauseSpinner } from './spinner.ts';
import { createStyle, wantsColor, type Style } from './style.ts';
import { table } from './table.ts';

export interface TerminalInputOptions {
  /** Who asks, as the person at the terminal knows them. */
  readonly server?: string | undefined;
  /** The folder that servers may be told to work in. */
  readonly root?: string | undefined;
  readonly noColor?: boolean | undefined;
}

/** How often a question is put again at most. */
const tries = 3;

/** Answers servers from the terminal; where nobody sits at one, nothing is offered but the roots. */
export function terminalInputs(options: TerminalInputOptions = {}): InputHandlers {
  const { root } = options;
  const roots =
    root === undefined ? undefined : [{ uri: pathToFileURL(root).href, name: path.basename(root) }];
  const isAttended = process.stdin.isTTY && process.stderr.isTTY;
  return isAttended ? { roots, ...questions(options) } : { roots };
}

interface Dialog {
  readonly questioner: Questioner;
  readonly style: Style;
  readonly who: string;
}

function questions(
  options: TerminalInputOptions,
): Required<Pick<InputHandlers, 'elicit' | 'elicitUrl'>> {
  const style = createStyle({ color: wantsColor(process.stderr, process.env, options) });
  const who = plainLine(options.server ?? 'the server');
  let last: Promise<unknown> = Promise.resolve();
  /** One question at a time, whoever asks. */
  const inTurn = (
    { signal }: InputContext,
    talk: (talk: Dialog) => Promise<ElicitResult>,
  ): Promise<ElicitResult> => {
    const turn = last.then(async (): Promise<ElicitResult> => {
      if (signal.aborted) return { action: 'cancel' };
      const resume = pauseSpinner();
      const questioner = new Questioner(signal);
      try {
        const answer = await talk({ questioner, style, who });
        if (signal.aborted) questioner.tell(`${who} no longer waits for the answer.`);
        return answer;
      } finally {
        questioner.close();
        resume();
      }
    });
    last = turn.catch(() => {});
    return turn;
  };
  return {
    elicit: (form, context) => inTurn(context, (talk) => fillIn(form, talk)),
    elicitUrl: (visit, context) => inTurn(context, (talk) => offerVisit(visit, talk)),
  };
}

/** What others say, marked so that it cannot be taken for what we say. */
function quote(text: unknown, { dim }: Style): string {
  return plainText(typeof text === 'string' ? text : '(nothing)')
    .split('\n')
    .map((line) => `${dim('│')} ${line}`)
    .join('\n');
}

async function fillIn(form: ElicitForm, talk: Dialog): Promise<ElicitResult> {
  const { questioner, style, who } = talk;
  const { fields, strange } = readForm(form.requestedSchema ?? {});
  questioner.tell(`\n${style.bold(who)} asks:\n${quote(form.message, style)}`);
  const impossible = strange.find(({ required }) => required);
  if (impossible !== undefined) {
    const name = plainLine(impossible.name);
    questioner.tell(`It needs "${name}", which cannot be asked on a terminal: declined.`);
    return { action: 'decline' };
  }
  if (fields.length === 0) return agree(talk, 'Agree?');
  questioner.tell(style.dim('Enter takes what is in [brackets]; Ctrl-D declines.'));
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const answer = await askField(field, talk);
    if (typeof answer === 'string') return { action: answer };
    if (answer.value !== undefined) content[field.name] = answer.value;
  }
  if (fields.length > 1) {
    const sending = await agree(talk, `Send this to ${who}?`, true);
    if (sending.action !== 'accept') return sending;
  }
  return { action: 'accept', content };
}

type Answered = { readonly value: unknown } | 'decline' | 'cancel';

async function askField(field: Field, talk: Dialog): Promise<Answered> {
  const { questioner, style } = talk;
  describeField(field, talk);
  const { preset, required, secret } = field;
  const shown = secret ? mask : plainLine(showPreset(field));
  const bracket = preset === undefined ? (required ? '' : ' [skip]') : ` [${shown}]`;
  const wanted = expectation(field);
  const prompt = `${style.bold(plainLine(field.title))}${wanted === '' ? '' : ` (${wanted})`}${bracket}: `;
  for (let left = tries; left > 0; left--) {
    const outcome = await questioner.ask(prompt, { secret });
    if (outcome === 'interrupted') return 'cancel';
    if (outcome === 'ended') return 'decline';
    const { line } = outcome;
    if (line === '' && (preset !== undefined || !required)) return { value: preset };
    const reading =
      line === '' ? { problem: 'it is required; Ctrl-D declines' } : readAnswer(field, line);
    if ('value' in reading) {
      if (secret) rememberSecret(line);
      return reading;
    }
    questioner.tell(style.red(`  ${reading.problem}`));
  }
  questioner.tell('Declined.');
  return 'decline';
}

function describeField(field: Field, { questioner, style }: Dialog): void {
  if (field.description !== undefined) questioner.tell(quote(field.description, style));
  const rows = field.choices.map(({ word, title }, at) => [
    `${at + 1}`,
    title,
    title === word ? '' : word,
  ]);
  if (rows.length > 0) questioner.tell(table(rows).replaceAll(/^/gm, '  '));
}

function showPreset({ kind, preset }: Field): string {
  if (kind === 'boolean') return preset === true ? 'yes' : 'no';
  if (Array.isArray(preset)) return preset.join(', ');
  return typeof preset === 'string' ? preset : (JSON.stringify(preset) ?? '');
}

async function agree(
  { questioner }: Dialog,
  question: string,
  usual = false,
): Promise<ElicitResult> {
  for (let left = tries; left > 0; left--) {
    const outcome = await questioner.ask(`${question} ${usual ? '[Y/n]' : '[y/N]'} `);
    if (outcome === 'interrupted') return { action: 'cancel' };
    if (outcome === 'ended') return { action: 'decline' };
    const word = outcome.line.trim().toLowerCase();
    if (word === '' ? usual : /^y(es)?$/.test(word)) return { action: 'accept', content: {} };
    if (word === '' || /^no?$/.test(word)) return { action: 'decline' };
  }
  return { action: 'decline' };
}

/** Opens nothing: whoever sits there decides what their browser is shown. */
async function offerVisit(visit: ElicitVisit, talk: Dialog): Promise<ElicitResult> {
  const { questioner, style, who } = talk;
  const url = URL.canParse(visit.url) ? new URL(visit.url) : undefined;
  questioner.tell(`\n${style.bold(who)} asks you to visit a page:`);
  questioner.tell(quote(visit.message, style));
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    questioner.tell('What it gives is not the address of a web page: declined.');
    return { action: 'decline' };
  }
  // As it is looked up: letters that only look like others do not survive this.
  questioner.tell(`  host: ${style.bold(url.host)}`);
  if (url.protocol === 'http:') questioner.tell(style.yellow('  not encrypted (http)'));
  questioner.tell(`  page: ${plainText(url.href)}`);
  const answer = await agree(talk, 'If you trust that host, open the page in your browser. Done?');
  return { action: answer.action };
}
