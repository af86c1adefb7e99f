import { KitError } from 'mcp-kit/internal';
import type { Dialect } from '../dialect.ts';
import type { DialectId } from '../entry.ts';
import type { Syntax } from '../template.ts';
import { amp, crush, factory, hermes, kiro, lmStudio } from './agents.ts';
import { claudeCode, claudeDesktop } from './claude.ts';
import { cline, roo } from './cline.ts';
import { codex } from './codex.ts';
import { compat } from './compat.ts';
import { copilotCli } from './copilot-cli.ts';
import { cursor, windsurf } from './cursor.ts';
import { gemini } from './gemini.ts';
import { goose } from './goose.ts';
import { mcpKit } from './mcp-kit.ts';
import { opencode, opencodeV2 } from './opencode.ts';
import { sep2633 } from './sep-2633.ts';
import { vscode } from './vscode.ts';
import { zed } from './zed.ts';

/** Every dialect, in the order in which their files count where nothing else decides. */
export const dialects: readonly Dialect[] = [
  mcpKit,
  sep2633,
  claudeCode,
  vscode,
  cursor,
  codex,
  gemini,
  copilotCli,
  opencode,
  opencodeV2,
  cline,
  roo,
  windsurf,
  zed,
  goose,
  claudeDesktop,
  kiro,
  factory,
  amp,
  crush,
  hermes,
  lmStudio,
  compat,
];

/** The dialect of that name. */
export function dialectOf(id: DialectId): Dialect {
  const dialect = dialects.find((candidate) => candidate.id === id);
  if (dialect !== undefined) return dialect;
  throw new KitError('invalid_argument', `no dialect is named ${id}`, {
    hint: `Known are ${dialects.map((known) => known.id).join(', ')}.`,
  });
}

/** How a host refers to variables. */
export function syntaxOf(id: DialectId): Syntax {
  return dialectOf(id).syntax;
}

/** The names of all dialects. */
export const dialectIds: readonly DialectId[] = dialects.map(({ id }) => id);

/** What people call the host. */
export function dialectTitle(id: DialectId): string {
  return dialectOf(id).title;
}
