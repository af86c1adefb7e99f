import path from 'node:path';

/** What a command line makes run, as far as it tells. */
export type Subject =
  /** The program itself. */
  | { readonly kind: 'program'; readonly command: string }
  /** Files that an interpreter reads; the first that is there of `places` for each. */
  | { readonly kind: 'files'; readonly files: readonly (readonly string[])[] }
  /** A package that is fetched when it is not there. */
  | { readonly kind: 'package'; readonly of: 'npm' | 'python'; readonly spec: string }
  /** An image that a container is made of; `engine` is the program that has it. */
  | { readonly kind: 'image'; readonly image: string; readonly engine: string }
  /** A program text, which is in the entry. */
  | { readonly kind: 'text' }
  | { readonly kind: 'unknown' };

export interface CommandLine {
  /** Interpreters and the like on the way to what runs, the outermost first; none when the program itself does. */
  readonly runners: readonly string[];
  readonly subject: Subject;
  /** The folder that files are looked for from, where it is another. */
  readonly folder?: string | undefined;
}

interface Interpreter {
  /** Options that the next word belongs to. */
  readonly valued?: readonly string[] | undefined;
  /** Those among them that name code to run as well. */
  readonly loading?: readonly string[] | undefined;
  /** Options whose value is the program text. */
  readonly text?: readonly string[] | undefined;
  /** The option whose value is the name of a module. */
  readonly module?: string | undefined;
  /** Options whose value is the program. */
  readonly file?: readonly string[] | undefined;
  /** Words before the file. */
  readonly verbs?: readonly string[] | undefined;
}

const node: Interpreter = {
  valued: ['-C', '--conditions', '--env-file', '--input-type', '--title', '--disable-warning'],
  loading: ['-r', '--require', '--import', '--loader', '--experimental-loader', '--env-file'],
  text: ['-e', '--eval', '-p', '--print', '-pe'],
};
const shell: Interpreter = { valued: ['-o', '-O'], text: ['-c', '-lc', '-ic', '-ec', '-xc'] };
const powershell: Interpreter = {
  valued: ['-executionpolicy', '-ep'],
  text: ['-command', '-c', '-encodedcommand'],
  file: ['-file', '-f'],
};

/** Programs that run others' files, by name without version and extension. */
const interpreters: ReadonlyMap<string, Interpreter> = new Map(
  Object.entries({
    node,
    nodejs: node,
    tsx: node,
    'ts-node': { ...node, valued: ['-P', '--project', '-O', '--compiler-options'] },
    bun: { ...node, verbs: ['run'] },
    deno: { valued: ['-c', '--config'], text: ['eval'], verbs: ['run'] },
    python: { valued: ['-W', '-X'], text: ['-c'], module: '-m' },
    pypy: { valued: ['-W', '-X'], text: ['-c'], module: '-m' },
    py: { valued: ['-W', '-X'], text: ['-c'], module: '-m' },
    ruby: { valued: ['-I'], loading: ['-r'], text: ['-e'] },
    perl: { valued: ['-I'], text: ['-e', '-E'] },
    php: { valued: ['-d', '-c'], text: ['-r'], file: ['-f'] },
    java: { valued: ['-cp', '-classpath', '--class-path'], file: ['-jar'] },
    dotnet: { verbs: ['exec'] },
    lua: { text: ['-e'] },
    rscript: { text: ['-e'] },
    sh: shell,
    bash: shell,
    dash: shell,
    zsh: shell,
    ksh: shell,
    fish: shell,
    pwsh: powershell,
    powershell,
  } satisfies Record<string, Interpreter>),
);

/** Programs that start the one that is named after their own options. */
const wrappers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    env: ['-u', '--unset', '-C', '--chdir'],
    nice: ['-n'],
    nohup: [],
    setsid: [],
    stdbuf: ['-i', '-o', '-e'],
    time: ['-f', '-o'],
    exec: [],
  }),
);

const npmValued = ['--registry', '--cache', '--userconfig', '--workspace', '-w', '--prefix'];
const pythonValued =
  '--python -p --with --index --index-url --extra-index-url --default-index --refresh-package --env-file --extra --group --pip-args --with-requirements --with-editable'.split(
    ' ',
  );

/** Options of `uv` that say where to look. */
const folders = ['--directory', '--project'];

/** Reads a command line for what it makes run. */
export function readCommandLine(command: string, args: readonly string[]): CommandLine {
  const name = nameOf(command);
  const line = known(name, command, args);
  return line ?? { runners: [], subject: { kind: 'program', command } };
}

/** The name of a program without its folder, extension and version: `C:\Python\python3.12.exe` is `python`. */
function nameOf(command: string): string {
  const file = path.win32.basename(path.posix.basename(command)).toLowerCase();
  const bare = file.replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
  return bare.replace(/^(python|pypy|node|ruby|perl|php|lua)-?[\d.]+$/, '$1');
}

function known(name: string, command: string, args: readonly string[]): CommandLine | undefined {
  const through = (inner: CommandLine): CommandLine => ({
    ...inner,
    runners: [name, ...inner.runners],
  });
  const wrapped = wrappers.get(name);
  if (wrapped !== undefined) {
    const rest = afterOptions(args, wrapped, /^\w+=/);
    const [inner, ...more] = rest;
    return through(inner === undefined ? unknown : readCommandLine(inner, more));
  }
  if (name === 'cmd') {
    const at = args.findIndex((arg) => /^\/[ck]$/i.test(arg));
    const [inner, ...more] = at < 0 ? [] : args.slice(at + 1);
    return through(inner === undefined ? unknown : readCommandLine(inner, more));
  }
  const runner = packageRunner(name, args);
  if (runner !== undefined) return through(runner);
  if (name === 'docker' || name === 'podman' || name === 'nerdctl') {
    return through(container(command, args));
  }
  const interpreter = interpreters.get(name);
  return interpreter === undefined ? undefined : through(interpreted(interpreter, args));
}

const unknown: CommandLine = { runners: [], subject: { kind: 'unknown' } };

function afterOptions(
  args: readonly string[],
  valued: readonly string[],
  also?: RegExp,
): readonly string[] {
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') return args.slice(at + 1);
    if (valued.includes(arg)) at += 1;
    else if (!arg.startsWith('-') && also?.test(arg) !== true) break;
  }
  return args.slice(at);
}

function valueOf(args: readonly string[], options: readonly string[]): string | undefined {
  for (const [at, arg] of args.entries()) {
    if (options.includes(arg)) return args[at + 1];
    const [option = '', ...value] = arg.split('=');
    if (value.length > 0 && options.includes(option)) return value.join('=');
  }
  return undefined;
}

/** What a word is to an interpreter; `file` is the program, or the option before it. */
type Role = 'text' | 'module' | 'file' | 'loads' | 'valued' | 'script' | 'other';

function roleOf(interpreter: Interpreter, option: string): Role {
  const { valued, loading, text, module, file, verbs } = interpreter;
  const isOne = (options: readonly string[] = []): boolean =>
    options.includes(option) || options.includes(option.toLowerCase());
  if (isOne(text)) return 'text';
  if (option === module) return 'module';
  if (isOne(file) || option === '--') return 'file';
  if (isOne(loading)) return 'loads';
  if (isOne(valued)) return 'valued';
  return option.startsWith('-') || isOne(verbs) ? 'other' : 'script';
}

/** The files that a word says are the program. */
function programFiles(role: Role, arg: string, value: string): string[] | undefined {
  if (role === 'module') return moduleFiles(value);
  if (role === 'file') return [value];
  return role === 'script' ? [arg] : undefined;
}

function interpreted(interpreter: Interpreter, args: readonly string[]): CommandLine {
  const files: string[][] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const [, option = arg, joined] = /^(-[^=]*)=(.*)$/s.exec(arg) ?? [];
    const value = joined ?? args[at + 1] ?? '';
    const role = roleOf(interpreter, option);
    if (role === 'text') return { runners: [], subject: { kind: 'text' } };
    const program = programFiles(role, arg, value);
    if (program !== undefined) return read([...files, program]);
    if (role === 'loads' && isPlace(value)) files.push([value]);
    if (role !== 'other' && joined === undefined) at += 1;
  }
  return files.length > 0 ? read(files) : unknown;
}

function read(files: readonly (readonly string[])[]): CommandLine {
  return { runners: [], subject: { kind: 'files', files } };
}

function isPlace(value: string): boolean {
  return /^[./~]|^[a-z]:[\\/]|[\\/]/i.test(value) && !value.startsWith('@');
}

/** Where a module of Python would be in the folder that it is started in. */
function moduleFiles(name: string): string[] {
  const place = name.replaceAll('.', '/');
  return [`${place}.py`, `${place}/__main__.py`, `${place}/__init__.py`];
}

function packageRunner(name: string, args: readonly string[]): CommandLine | undefined {
  if (['npx', 'bunx', 'pnpx'].includes(name)) return npmPackage(args);
  if (name === 'uvx') return pythonPackage(args);
  const [verb = '', second = ''] = afterOptions(args, [...npmValued, ...pythonValued, ...folders]);
  const rest = args.slice(args.indexOf(verb) + 1);
  if (name === 'pipx') return pythonPackage(rest);
  if (name === 'uv') {
    if (verb === 'tool') return pythonPackage(args.slice(args.indexOf('run') + 1));
    return verb === 'run' ? uvRun(args, rest) : unknown;
  }
  if (!['npm', 'pnpm', 'yarn', 'bun'].includes(name)) return undefined;
  if (isFetching(verb)) return npmPackage(rest);
  // Bun runs files as well; the others only scripts of a package.
  const isFile = name === 'bun' && (verb !== 'run' || /[./\\]/.test(second));
  return isFile ? undefined : read([['package.json']]);
}

function isFetching(verb: string): boolean {
  return verb === 'exec' || verb === 'x' || verb === 'dlx';
}

function npmPackage(args: readonly string[]): CommandLine {
  const options = [...npmValued, '-c', '--call', '-p', '--package'];
  const spec = valueOf(args, ['-p', '--package']) ?? afterOptions(args, options)[0];
  if (spec === undefined || spec === '') return unknown;
  if (/^[./~]/.test(spec)) return read([[spec]]);
  return { runners: [], subject: { kind: 'package', of: 'npm', spec } };
}

function pythonPackage(args: readonly string[]): CommandLine {
  const spec =
    valueOf(args, ['--from', '--spec']) ??
    afterOptions(args, [...pythonValued, '--from', '--spec'])[0];
  if (spec === undefined || spec === '') return unknown;
  if (/^[./~]|\.py$/.test(spec)) return read([[spec]]);
  return { runners: [], subject: { kind: 'package', of: 'python', spec } };
}

function uvRun(args: readonly string[], rest: readonly string[]): CommandLine {
  const folder = valueOf(args, folders);
  const line = uvLine(rest);
  return folder === undefined ? line : { ...line, folder };
}

function uvLine(rest: readonly string[]): CommandLine {
  const module = valueOf(rest, ['-m', '--module']);
  if (module !== undefined) return read([moduleFiles(module)]);
  const [inner = '', ...more] = afterOptions(rest, [...pythonValued, ...folders, '--package']);
  if (inner.endsWith('.py')) return read([[inner]]);
  if (interpreters.has(nameOf(inner))) return readCommandLine(inner, more);
  // A command of the project, of which the file says what it is.
  return read([['pyproject.toml']]);
}

/** Options of `docker run` that have no value; all others do. */
const flags =
  /^(?:-[ditP]+|--(?:rm|init|interactive|tty|detach|privileged|read-only|publish-all|no-healthcheck|oom-kill-disable|sig-proxy|quiet|disable-content-trust|tls|tlsverify|debug))$|^--?[\w-]+=/;

function container(engine: string, args: readonly string[]): CommandLine {
  const at = args.indexOf('run');
  if (at < 0) return unknown;
  for (let word = at + 1; word < args.length; word += 1) {
    const arg = args[word] ?? '';
    if (!arg.startsWith('-'))
      return { runners: [], subject: { kind: 'image', image: arg, engine } };
    if (!flags.test(arg)) word += 1;
  }
  return unknown;
}
