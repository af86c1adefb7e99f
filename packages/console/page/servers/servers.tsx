import { useState } from 'react';
import { ask } from '../api.ts';
import { gateway, type ServerState } from '../events.ts';
import { Lines } from '../parts/lines.tsx';
import { createStore, useStore } from '../store.ts';
import { useWords } from '../words.ts';
import { ago } from '../parts/show.ts';
import { Approval } from './approval.tsx';
import { Log } from './log.tsx';
import { Why } from './why.tsx';

const chosen = createStore<string | undefined>(undefined);

/** How every server is, and what to do about it. */
export function Servers() {
  const say = useWords();
  const servers = useStore(gateway)?.status.servers ?? [];
  const name = useStore(chosen);
  const server = servers.find((one) => one.name === name) ?? servers[0];
  if (server === undefined) {
    return (
      <div className="empty">
        <h2>{say('noServers')}</h2>
      </div>
    );
  }
  return (
    <div className="split">
      <ul className="side" aria-label={say('servers')}>
        {servers.map((one) => (
          <li key={one.name}>
            <button
              type="button"
              aria-current={one === server ? 'true' : undefined}
              onClick={() => chosen.set(one.name)}
            >
              <i className={`dot ${one.state}`} aria-hidden="true" />
              <b>{one.name}</b>
              <span className="quiet">{one.state}</span>
            </button>
          </li>
        ))}
      </ul>
      <Server key={server.name} server={server} />
    </div>
  );
}

function Server({ server }: { readonly server: ServerState }) {
  const say = useWords();
  const { name, state, reason, next, since, differences } = server;
  return (
    <section className="sheet" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <span className={`badge state ${state}`}>
          {state} · {ago(since, Date.now())}
        </span>
        <Actions server={server} />
      </header>
      {reason !== undefined && (
        <div className="trouble" role="note">
          <p>{reason}</p>
          {next !== undefined && (
            <p>
              <b>{say('nextStep')}: </b>
              {next}
            </p>
          )}
        </div>
      )}
      <Facts server={server} />
      {differences.length > 0 && (
        <section>
          <h3>{say('changes')}</h3>
          <Lines lines={differences} label={say('changes')} />
        </section>
      )}
      <Approval server={name} />
      <Why server={name} />
      <Log server={name} />
    </section>
  );
}

function Facts({ server }: { readonly server: ServerState }) {
  const say = useWords();
  const { version, pid, restarts, conversations, tools, prompts, resources, calls } = server;
  const { ok = 0, failed = 0, refused = 0, broken = 0 } = calls.outcomes;
  const facts = [
    [say('revision'), version ?? '–'],
    [say('process'), pid ?? '–'],
    [say('tools'), tools],
    [say('prompts'), prompts],
    [say('resources'), resources],
    [say('sessions'), conversations],
    [say('restarts'), restarts],
    [say('calls'), ok + failed + refused + broken],
    [say('errors'), failed + refused + broken],
    [say('underWay'), calls.underWay],
  ] as const;
  return (
    <dl className="facts">
      {facts.map(([fact, value]) => (
        <div key={fact}>
          <dt>{fact}</dt>
          <dd>{typeof value === 'number' ? value.toLocaleString() : value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Actions({ server: { name, next = '' } }: { readonly server: ServerState }) {
  const say = useWords();
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState('');
  const act = (what: 'restart' | 'stop' | 'login') => async (): Promise<void> => {
    setBusy(true);
    setTrouble('');
    // Browsers open windows only while a person clicks.
    const tab = what === 'login' ? window.open('about:blank', '_blank') : null;
    try {
      const { url } = await ask<{ readonly url?: string }>(what, { server: name });
      if (tab !== null && url !== undefined && /^https?:/.test(url)) tab.location.href = url;
      else tab?.close();
    } catch (error) {
      tab?.close();
      setTrouble(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="actions">
      {trouble !== '' && <span role="alert">{trouble}</span>}
      {/log ?in/i.test(next) && (
        <button type="button" disabled={isBusy} onClick={() => void act('login')()}>
          {say('login')}
        </button>
      )}
      <button type="button" disabled={isBusy} onClick={() => void act('restart')()}>
        {say('restart')}
      </button>
      <button type="button" disabled={isBusy} onClick={() => void act('stop')()}>
        {say('stop')}
      </button>
    </span>
  );
}
