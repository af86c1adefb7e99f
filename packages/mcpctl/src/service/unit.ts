import { createHash } from 'node:crypto';
import path from 'node:path';

/** A program that is to run for its user. */
export interface Program {
  /** The service is called so; tells several apart. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly folder: string;
  /** Where programs are found: a service does not know what a shell knows. */
  readonly path: string;
}

/** A kind of service manager: where its files are, what is in them, and how it is told of them. */
export interface ServiceKind {
  readonly file: string;
  readonly text: string;
  /** What to type to begin and to end. */
  readonly start: string;
  readonly stop: string;
  /** A link that is there while the service is switched on. */
  readonly enabled?: string | undefined;
}

/** The user service of this system. */
export function serviceFor(
  program: Program,
  { platform, home, env }: { platform: string; home: string; env: NodeJS.ProcessEnv },
): ServiceKind {
  return platform === 'darwin' ? launchd(program, home) : systemd(program, home, env);
}

function systemd(program: Program, home: string, env: NodeJS.ProcessEnv): ServiceKind {
  const { XDG_CONFIG_HOME: given = '' } = env;
  const config = path.isAbsolute(given) ? given : path.join(home, '.config');
  const folder = path.join(config, 'systemd', 'user');
  const name = `${program.name}.service`;
  const lines = [
    '[Unit]',
    'Description=MCP gateway: mcpctl up',
    '',
    '[Service]',
    'Type=exec',
    `WorkingDirectory=${specifiers(program.folder)}`,
    `Environment=${quoted(`PATH=${program.path}`)}`,
    `ExecStart=${program.argv.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=2',
    // Calls under way may end first; whatever a server does then, nothing of it stays.
    'KillMode=mixed',
    'TimeoutStopSec=15',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ];
  return {
    file: path.join(folder, name),
    text: signed(lines.join('\n'), (mark) => `# ${mark}\n`),
    start: `systemctl --user daemon-reload && systemctl --user enable --now ${name}`,
    stop: `systemctl --user disable --now ${name}`,
    enabled: path.join(folder, 'default.target.wants', name),
  };
}

/** Per cent signs stand for something in units. */
function specifiers(text: string): string {
  return text.replaceAll('%', '%%');
}

function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`);
  return `"${specifiers(escaped)}"`;
}

function launchd(program: Program, home: string): ServiceKind {
  const label = `dev.mcp-kit.${program.name}`;
  const file = path.join(home, 'Library', 'LaunchAgents', `${label}.plist`);
  const log = path.join(home, 'Library', 'Logs', `${label}.log`);
  const text = (value: string): string => `<string>${inXml(value)}</string>`;
  const lines = [
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...program.argv.map((word) => `    ${text(word)}`),
    '  </array>',
    `  <key>WorkingDirectory</key>${text(program.folder)}`,
    `  <key>EnvironmentVariables</key><dict><key>PATH</key>${text(program.path)}</dict>`,
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    `  <key>StandardOutPath</key>${text(log)}`,
    `  <key>StandardErrorPath</key>${text(log)}`,
    '</dict>',
    '</plist>',
    '',
  ];
  const first = '<?xml version="1.0" encoding="UTF-8"?>\n';
  return {
    file,
    text: signed(lines.join('\n'), (mark) => `${first}<!-- ${mark} -->\n`),
    start: `launchctl bootstrap gui/$(id -u) '${file}'`,
    stop: `launchctl bootout gui/$(id -u)/${label}`,
  };
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const marking = /Written by mcpctl, which removes it with the option uninstall: ([0-9a-f]{16})/;

/** Puts before a text who has written it, and a digest that is another one as soon as somebody changes it. */
function signed(text: string, head: (mark: string) => string): string {
  const mark = `Written by mcpctl, which removes it with the option uninstall: ${digest(text)}`;
  return `${head(mark)}${text}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Whether a file is as it was written here, whatever for. */
export function isOwn(text: string): boolean {
  const found = marking.exec(text);
  if (found === null) return false;
  const body = text.slice(text.indexOf('\n', found.index) + 1);
  return digest(body) === found[1];
}
