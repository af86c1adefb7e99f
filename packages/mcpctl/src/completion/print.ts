import { print } from '../output.ts';
import { commands } from '../registry.ts';
import { complete } from './complete.ts';

/** Prints for a shell what may come next: a line with the kind, then a line for each word and what it stands for. */
export async function printCompletion(words: readonly string[]): Promise<void> {
  const completion = await complete(words, {
    commands,
    // Loaded only when a name is wanted: a shell waits for each key.
    fill: async (place) => (await import('./fill.ts')).fillPlace(place),
  });
  const candidates = completion.kind === 'words' ? completion.candidates : [];
  const lines = candidates.map(({ word, about }) => (about === '' ? word : `${word}\t${about}`));
  print([completion.kind, ...lines].join('\n'));
}
