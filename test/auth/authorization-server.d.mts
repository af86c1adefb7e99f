export interface AuthorizationServer {
  readonly issuer: string;
  readonly state: { lifeSeconds: number; audience: string | undefined };
  readonly counts: Readonly<Record<string, number>>;
  readonly tokenRequests: readonly Readonly<Record<string, string | undefined>>[];
  readonly paths: readonly string[];
  rotateKeys(): void;
  revokeGrants(refreshToken: string): Promise<void>;
  forgetClient(id: string): void;
  enterCode(userCode: string): Promise<void>;
  close(): Promise<void>;
}

export declare function startAuthorizationServer(options?: {
  readonly lifeSeconds?: number;
  readonly clients?: readonly Readonly<Record<string, unknown>>[];
}): Promise<AuthorizationServer>;

export declare function browse(
  url: URL,
  stopAt?: (url: URL) => boolean,
  account?: string,
): Promise<URL>;
