import { questionText, type AskPerson } from '@mcp-kit/host/gateway';
import { isAttended } from '../setup/change.ts';
import { plainField } from '../terminal/plain-text.ts';
import { Questioner } from '../terminal/question.ts';

/** How long somebody may take to answer. */
const answerMs = 5 * 60_000;

/** Asks at this terminal, one question after the other; nothing where nobody is there to see it. */
export function terminalAsker(stop: AbortSignal): AskPerson | undefined {
  if (!isAttended()) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const asked = last.then(async () => {
      const ends = AbortSignal.any([stop, signal, AbortSignal.timeout(answerMs)]);
      if (ends.aborted) return undefined;
      const questioner = new Questioner(ends);
      try {
        await questioner.forget();
        questioner.tell(plainField(questionText(question)));
        const choices = question.mayRemember
          ? 'y: once, a: as long as the client stays, n'
          : 'y, n';
        const outcome = await questioner.ask(`[${choices}] `);
        if (typeof outcome === 'string') return undefined;
        const word = outcome.line.trim().toLowerCase();
        if (word === 'a' && question.mayRemember) return 'always';
        return word === 'y' || word === 'yes' ? 'once' : 'no';
      } finally {
        questioner.close();
      }
    });
    last = asked.catch(() => undefined);
    return asked;
  };
}
