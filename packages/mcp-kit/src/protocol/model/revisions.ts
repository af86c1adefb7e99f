/** The revision without handshake or sessions: every request carries what it needs. */
export const modernVersion = '2026-07-28';

/** The revisions that open with `initialize`, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export type LegacyVersion = (typeof legacyVersions)[number];

/** Revisions with a handshake are legacy; the one without is modern. */
export type Era = 'legacy' | 'modern';

/** All revisions served, newest first. */
export const supportedVersions: readonly string[] = [modernVersion, ...legacyVersions];

export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return legacyVersions.some((known) => known === version);
}

/** The version to answer `initialize` with: the requested one when known, else our latest. */
export function negotiate(requested: unknown): LegacyVersion {
  return isLegacyVersion(requested) ? requested : legacyVersions[0];
}

/** Arrays of messages belong to one revision only. */
export function allowsBatch(version: string | undefined): boolean {
  return version === '2025-03-26';
}

/** Up to 2025-06-18 every error has an id; JSON-RPC says `null` where none could be read. Later ones leave it out. */
export function requiresErrorId(version: string | undefined): boolean {
  return version !== undefined && version !== '2025-11-25';
}

/** Clients of earlier revisions fail on the empty event that lets later ones resume before the first message. */
export function understandsPriming(version: string | undefined): boolean {
  return version === '2025-11-25';
}

/** One legacy revision has tasks of its own. */
export function hasTasks(version: string | undefined): boolean {
  return version === '2025-11-25';
}
