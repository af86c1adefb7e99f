import { useMemo } from 'react';
import { gateway } from '../events.ts';
import { book, version } from '../rows.ts';
import { useStore, type Store } from '../store.ts';
import { useWords, type Word } from '../words.ts';
import type { Filter } from './filter.ts';
import { wordOf } from './row.tsx';

interface FiltersProps {
  readonly filter: Filter;
  readonly change: (filter: Filter) => void;
  readonly follows: Store<boolean>;
}

const outcomes = ['ok', 'failed', 'refused', 'cancelled', 'underWay'] as const;

/** What of everything is listed. */
export function Filters({ filter, change, follows }: FiltersProps) {
  const say = useWords();
  const isFollowing = useStore(follows);
  const servers = useStore(gateway)?.status.servers.map(({ name }) => name) ?? [];
  const hosts = useHosts();
  return (
    <div className="filters" role="search">
      <div className="switch" role="group" aria-label={say('show')}>
        {(['calls', 'messages'] as const).map((show) => (
          <button
            key={show}
            type="button"
            aria-pressed={filter.show === show}
            onClick={() => change({ ...filter, show })}
          >
            {say(show)}
          </button>
        ))}
      </div>
      <input
        type="search"
        id="search"
        value={filter.text}
        placeholder={`${say('searchRows')}  /`}
        aria-label={say('searchRows')}
        onChange={({ target }) => change({ ...filter, text: target.value })}
      />
      <Choice
        label="host"
        all="allHosts"
        options={hosts.map((host) => [host, host])}
        value={filter.host}
        choose={(host) => change({ ...filter, host })}
      />
      <Choice
        label="server"
        all="allServers"
        options={servers.map((server) => [server, server])}
        value={filter.server}
        choose={(server) => change({ ...filter, server })}
      />
      <Choice
        label="outcome"
        all="allOutcomes"
        options={outcomes.map((outcome) => [outcome, say(wordOf(outcome))])}
        value={filter.outcome}
        choose={(outcome) => change({ ...filter, outcome })}
      />
      <button
        type="button"
        className="follow"
        aria-pressed={isFollowing}
        onClick={() => follows.set(!isFollowing)}
      >
        {isFollowing ? `● ${say('following')}` : say('follow')}
      </button>
    </div>
  );
}

function useHosts(): readonly string[] {
  const now = useStore(version);
  return useMemo(() => {
    const names = new Set<string>();
    for (const { host } of book().rows) if (host !== undefined) names.add(host);
    return [...names].sort();
    // Looked at again once in a while: hosts come and go seldom.
  }, [Math.floor(now / 10)]);
}

function Choice({
  label,
  all,
  options,
  value,
  choose,
}: {
  readonly label: Word;
  readonly all: Word;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly value: string;
  readonly choose: (value: string) => void;
}) {
  const say = useWords();
  return (
    <select
      aria-label={say(label)}
      value={value}
      className={value === '' ? '' : 'chosen'}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">{say(all)}</option>
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  );
}
