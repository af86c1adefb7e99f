import { CocosError } from '#cocos/document';
import {
  isAllowed,
  type MessageArguments,
  type MessageChannel,
  type MessageName,
} from './messages.ts';

/** The only way to the editor: `Editor.Message.request` inside it, a fake or a recording elsewhere. */
export interface EditorRequester {
  request(channel: string, method: string, ...args: readonly unknown[]): Promise<unknown>;
}

/** How messages to the editor are sent. */
export interface EditorLinkOptions {
  /** How long a message may take; a dialog that waits for somebody takes for ever. 15 s where absent. */
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 15_000;

/** Sends only messages that are known to exist and to raise no dialog, and gives up on those that never end. */
export class EditorLink {
  readonly #requester: EditorRequester;
  readonly timeoutMs: number;

  constructor(
    requester: EditorRequester,
    { timeoutMs = defaultTimeoutMs }: EditorLinkOptions = {},
  ) {
    this.#requester = requester;
    this.timeoutMs = timeoutMs;
  }

  /** Sends a message; what it answers is the editor's, and to be checked. */
  async send<Channel extends MessageChannel, Name extends MessageName<Channel>>(
    channel: Channel,
    name: Name,
    ...args: MessageArguments<Channel, Name>
  ): Promise<unknown> {
    if (!isAllowed(channel, name)) {
      throw new CocosError('E_INTERNAL', `The message ${channel} ${name} is not allowed.`);
    }
    const list: readonly unknown[] = args;
    const answer = this.#requester.request(channel, name, ...list);
    try {
      return await this.#inTime(answer, `${channel} ${name}`);
    } catch (error) {
      throw explained(error, `${channel} ${name}`);
    }
  }

  async #inTime(answer: Promise<unknown>, message: string): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(tooLate(message, this.timeoutMs)), this.timeoutMs);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLate(message: string, timeoutMs: number): CocosError {
  return new CocosError(
    'E_TIMEOUT',
    `The editor has not answered "${message}" in ${timeoutMs} ms.`,
    {
      suggestion: 'Look whether the editor shows a dialog, answer it, and try again.',
      details: { message, timeoutMs },
    },
  );
}

/** Says what a failure inside the editor means here. */
function explained(error: unknown, message: string): CocosError {
  if (error instanceof CocosError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (/does not exist/i.test(text)) {
    return new CocosError('E_UNAVAILABLE', `This editor does not know "${message}".`, {
      suggestion: 'Use Cocos Creator 3.8, and look whether the extension is enabled.',
      details: { message, editor: text },
      cause: error,
    });
  }
  return new CocosError('E_INTERNAL', `The editor failed at "${message}": ${text}`, {
    suggestion: 'Look at the console of the editor.',
    details: { message, editor: text },
    cause: error,
  });
}
