import { usageError } from '../args.ts';
import { defineCommand } from '../command.ts';
import { scripts, shells } from '../completion/scripts.ts';
import { print } from '../output.ts';

export const completion = defineCommand({
  scope: 'own',
  positionals: [{ name: 'SHELL', help: `The shell: ${shells.join(', ')}.` }],
  examples: [
    {
      command: 'source <(mcpctl completion bash)',
      about: 'For this bash, or in ~/.bashrc for every one.',
    },
    {
      command: 'source <(mcpctl completion zsh)',
      about: 'For this zsh, or in ~/.zshrc after compinit.',
    },
    {
      command: 'mcpctl completion fish > ~/.config/fish/completions/mcpctl.fish',
      about: 'For every fish.',
    },
  ],
  notes: [
    'Completes commands, options, the names of servers, and the tools that a server had when it was last used.',
    'No server is started for it.',
  ],
  async run({ args: { SHELL } }) {
    const shell = shells.find((name) => name === SHELL);
    if (shell === undefined) {
      throw usageError(`no completion for "${SHELL}"`, `Use one of: ${shells.join(', ')}.`);
    }
    print(scripts[shell].trimEnd());
  },
});
