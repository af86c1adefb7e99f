import type { MaybePromise } from '#base';

/** A login with a browser that has begun. */
export interface BrowserLogin {
  /** Where the browser comes back to. */
  readonly redirectUri: string;
  /** Sends the person to a page, and resolves to the address that the browser came back to. */
  visit(url: URL, signal?: AbortSignal): Promise<URL>;
  close(): MaybePromise<void>;
}

/** What a person is told who logs in on another device. */
export interface DevicePrompt {
  readonly userCode: string;
  readonly verificationUri: string;
  /** With the code in it. */
  readonly completeUri?: string | undefined;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** How to reach the person who logs in; what is missing cannot be done. */
export interface Interaction {
  /** Begins a login with a browser; `wish` is the address to come back to, if that matters. */
  begin?(wish: {
    /** The address it must be. */
    readonly must?: string | undefined;
    /** The one that an issuer knows already, if it can be had. */
    readonly better?: string | undefined;
  }): MaybePromise<BrowserLogin>;
  /** Tells the person where to type which code. */
  device?(prompt: DevicePrompt): MaybePromise<void>;
}
