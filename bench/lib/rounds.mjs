/**
 * Measures every case once a round, A B C, A B C, so that a noisy minute hits all alike. A case that fails twice in a
 * row is left out from then on; the others go on.
 */
export async function interleave(cases, rounds, measure, log) {
  const results = new Map(cases.map((c) => [c, []]));
  const failed = new Map();
  for (let round = 1; round <= rounds; round++) {
    for (const c of cases) {
      for (let attempt = 1; attempt <= 2 && !failed.has(c); attempt++) {
        try {
          const result = await measure(c);
          results.get(c).push(result);
          log(`${round}/${rounds} ${c.label}: ${result.summary}`);
          break;
        } catch (error) {
          log(`${round}/${rounds} ${c.label}: failed, ${error.message}`);
          if (attempt === 2) failed.set(c, error);
        }
      }
    }
  }
  return { results, failed };
}

/** One line for each case that failed. */
export const failureLines = (title, failed) =>
  [...failed].map(([c, error]) => `${title}, ${c.label}: ${error.message.split('\n')[0]}`);
