import { parseRate, type Rate } from 'mcp-kit/internal';
import { asBoolean, asRecord, asText } from '../field.ts';
import { below, configError, type Place } from '../place.ts';
import type { GatewayMember } from './member.ts';
import { checkMembers } from './members.ts';
import { matchNames, noteUnknownServers, readMatch, type RuleMatch } from './policy.ts';

/** How much may be asked of what fits, how long it may take, and whether secrets are taken out of its results. */
export interface LimitRule extends RuleMatch {
  /** How long a call may take in all, questions to the user included. */
  readonly timeoutMs?: number | undefined;
  /** How often each server may be asked, by all together. */
  readonly rate?: Rate | undefined;
  /** The same for each principal. */
  readonly ratePerPrincipal?: Rate | undefined;
  /** Takes what looks like a secret out of results. */
  readonly redact?: boolean | undefined;
}

const own = ['timeoutMs', 'rate', 'ratePerPrincipal', 'redact'];

/** `limits`: those of all files count, and each can only restrict. */
export const limits: GatewayMember<readonly LimitRule[]> = {
  read(value, place) {
    if (!Array.isArray(value)) throw configError(place, 'must be a list of limits');
    return value.map((one: unknown, index) => readLimit(one, below(place, index)));
  },
  join(said, joining) {
    for (const { value, place } of said) noteUnknownServers(value, place, joining);
    return said.flatMap(({ value }) => value);
  },
};

function readLimit(value: unknown, place: Place): LimitRule {
  const rule = asRecord(value, place);
  checkMembers(rule, [...matchNames, ...own], place);
  const at = (name: string): Place => below(place, name);
  return {
    ...readMatch(rule, place),
    timeoutMs: readTime(rule['timeoutMs'], at('timeoutMs')),
    rate: readRate(rule['rate'], at('rate')),
    ratePerPrincipal: readRate(rule['ratePerPrincipal'], at('ratePerPrincipal')),
    redact: rule['redact'] === undefined ? undefined : asBoolean(rule['redact'], at('redact')),
  };
}

function readTime(value: unknown, place: Place): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw configError(place, 'must be a whole number of milliseconds, from 1 on');
}

function readRate(value: unknown, place: Place): Rate | undefined {
  if (value === undefined) return undefined;
  try {
    return parseRate(asText(value, place));
  } catch {
    throw configError(place, 'is no rate', {
      hint: 'Write 20/s, 600/min, 1000/h, or with more at once: 20/s burst 40.',
    });
  }
}
