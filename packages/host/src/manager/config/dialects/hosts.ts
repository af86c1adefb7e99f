import path from 'node:path';
import type { Candidate, Dialect, Surroundings } from '../dialect.ts';
import type { DialectId } from '../entry.ts';
import { configFolder, inProject, ofUser, settingsFolder } from './candidates.ts';
import { dialects } from './index.ts';

/** A program that uses servers, how it writes them down, and where. */
export interface Host {
  readonly id: string;
  readonly title: string;
  readonly dialect: DialectId;
  /** Its files, in the order in which they count; of each level the first is where new servers are written. */
  readonly where: (surroundings: Surroundings) => readonly Candidate[];
}

const joined = (parts: readonly string[]): readonly string[] =>
  parts.map((part) => path.join(...part.split('/')));

/** A host that writes as another one does, in files of its own; slashes separate folders. */
function alike(
  dialect: DialectId,
  [id, title]: readonly [id: string, title: string],
  places: {
    readonly project?: readonly string[] | undefined;
    readonly home?: readonly string[] | undefined;
    readonly settings?: readonly string[] | undefined;
    readonly config?: readonly string[] | undefined;
  },
): Host {
  const { project = [], home = [], settings = [], config = [] } = places;
  return {
    id,
    title,
    dialect,
    where(surroundings) {
      const users: readonly (readonly [string | undefined, readonly string[]])[] = [
        [surroundings.home, home],
        [settingsFolder(surroundings), settings],
        [configFolder(surroundings), config],
      ];
      const found = users.flatMap(([folder, files]) =>
        files.length === 0 ? [] : ofUser(dialect, folder, ...joined(files)),
      );
      const inside =
        project.length === 0 ? [] : [inProject(dialect, surroundings, ...joined(project))];
      return [...inside, ...found];
    },
  };
}

/** The hosts that have a dialect of their own; two dialects may be of one host. */
const own: readonly Host[] = dialects.flatMap(({ id, title, where }: Dialect) =>
  where === undefined || id === 'opencode-v2' ? [] : [{ id, title, dialect: id, where }],
);

/** Every host whose files are known. */
export const hosts: readonly Host[] = [
  ...own,
  alike('vscode', ['vscode-insiders', 'VS Code Insiders'], {
    settings: ['Code - Insiders/User/mcp.json'],
  }),
  alike('vscode', ['visual-studio', 'Visual Studio'], { project: ['.vs/mcp.json'] }),
  alike('vscode', ['copilot-jetbrains', 'Copilot for JetBrains'], {
    config: ['github-copilot/intellij/mcp.json'],
  }),
  alike('windsurf', ['antigravity', 'Antigravity'], {
    home: ['.gemini/config/mcp_config.json', '.gemini/antigravity/mcp_config.json'],
  }),
  alike('codex', ['grok', 'Grok Build'], {
    project: ['.grok/config.toml'],
    home: ['.grok/config.toml'],
  }),
  alike('gemini', ['qwen', 'Qwen Code'], {
    project: ['.qwen/settings.json'],
    home: ['.qwen/settings.json'],
  }),
  alike('gemini', ['iflow', 'iFlow CLI'], {
    project: ['.iflow/settings.json'],
    home: ['.iflow/settings.json'],
  }),
  alike('cline', ['cline-cli', 'Cline CLI'], {
    home: ['.cline/data/settings/cline_mcp_settings.json'],
  }),
  alike('roo', ['kilo-code', 'Kilo Code before 7'], {
    project: ['.kilocode/mcp.json'],
    settings: ['Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json'],
  }),
  // The extension and the command line read the same files from 7 on.
  alike('opencode', ['kilo', 'Kilo Code'], {
    project: ['kilo.json', 'kilo.jsonc', '.kilo/kilo.json', '.kilo/kilo.jsonc'],
    config: ['kilo/kilo.json', 'kilo/kilo.jsonc'],
  }),
  alike('lm-studio', ['junie', 'Junie'], {
    project: ['.junie/mcp/mcp.json'],
    home: ['.junie/mcp/mcp.json'],
  }),
  alike('lm-studio', ['trae', 'Trae'], {
    project: ['.trae/mcp.json'],
    settings: ['Trae/User/mcp.json'],
  }),
  alike('compat', ['oh-my-pi', 'oh-my-pi'], {
    project: ['.omp/mcp.json'],
    home: ['.omp/agent/mcp.json'],
  }),
  alike('compat', ['mcporter', 'MCPorter'], {
    project: ['config/mcporter.json', 'config/mcporter.jsonc'],
    home: ['.mcporter/mcporter.json', '.mcporter/mcporter.jsonc'],
  }),
];
