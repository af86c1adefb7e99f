import { gateway } from '../events.ts';
import { useStore } from '../store.ts';
import { useWords } from '../words.ts';
import { asCurl, asMcpctl, asProgram, asTest } from './as-text.ts';
import type { Offer } from './offers.ts';
import { requestOf } from './request.ts';
import type { Tried } from './result.tsx';

/** The same call for elsewhere: a shell, a program, a test. */
export function CopyAs({
  offer,
  text,
  tried,
}: {
  readonly offer: Offer;
  readonly text: string;
  readonly tried: Tried | undefined;
}) {
  const say = useWords();
  const address = useStore(gateway)?.status.gateway.address ?? '';
  const forms = { curl: asCurl, mcpctl: asMcpctl, TypeScript: asProgram, 'test (vitest)': asTest };
  const copy = (name: string): void => {
    const request = requestOf(offer, text);
    const form = Object.entries(forms).find(([one]) => one === name)?.[1];
    if (request instanceof Error || form === undefined) return;
    void navigator.clipboard.writeText(form(address, request, tried?.result));
  };
  return (
    <select aria-label={say('copyAs')} value="" onChange={({ target }) => copy(target.value)}>
      <option value="">{say('copyAs')}</option>
      {Object.keys(forms).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
