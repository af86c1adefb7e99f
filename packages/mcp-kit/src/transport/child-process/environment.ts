/** What a program needs to run at all; anything else may be a secret that is none of its business. */
const needed: Readonly<Record<'posix' | 'windows', readonly string[]>> = {
  posix: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'],
  windows: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
  ],
};

export interface EnvironmentOptions {
  /** Variables of the child, in addition to the few that every program needs. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Hands all of this process's environment on; off by default, because it often holds secrets. */
  readonly inheritEnv?: boolean | undefined;
}

/** The environment of a child: a minimal one, or all of ours, and then what its options say. */
export function childEnvironment({
  env = {},
  inheritEnv = false,
}: EnvironmentOptions): Record<string, string> {
  const windows = process.platform === 'win32';
  const names = inheritEnv ? Object.keys(process.env) : needed[windows ? 'windows' : 'posix'];
  const chosen: Record<string, string> = {};
  // Windows does not tell `Path` from `PATH`: of two, the one that was asked for must win.
  const same = (name: string): string => (windows ? name.toUpperCase() : name);
  const own = new Set(Object.keys(env).map((name) => same(name)));
  for (const name of names) {
    const value = process.env[name];
    // A shell function is code: a shell below would run it.
    if (value === undefined || value.startsWith('()') || own.has(same(name))) continue;
    chosen[name] = value;
  }
  return { ...chosen, ...env };
}
