import { useEffect, useState } from 'react';
import { ask } from '../api.ts';
import { useWords } from '../words.ts';
import { Lines } from '../parts/lines.tsx';

interface Standing {
  readonly verdict: string;
  readonly approvedAt?: string;
  readonly proposal: readonly (readonly [name: string, text: string])[];
  readonly changes: readonly string[];
  readonly tools: readonly { readonly name: string; readonly changes: readonly string[] }[];
  readonly fresh: readonly string[];
}

/** What the person has approved of a server, what is different, and the word that it may run. */
export function Approval({ server }: { readonly server: string }) {
  const say = useWords();
  const [standing, setStanding] = useState<Standing>();
  const [trouble, setTrouble] = useState('');
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isWanted = true;
    ask<Standing>('approval', { server }).then(
      (found) => isWanted && setStanding(found),
      (error: unknown) => isWanted && setTrouble(String(Object(error).message)),
    );
    return () => {
      isWanted = false;
    };
  }, [server, round]);
  const approve = (): void => {
    ask('approve', { server }).then(
      () => setRound(round + 1),
      (error: unknown) => setTrouble(String(Object(error).message)),
    );
  };
  return (
    <section>
      <h3>{say('approval')}</h3>
      {trouble !== '' && <p role="alert">{trouble}</p>}
      {standing !== undefined && <Shown standing={standing} approve={approve} />}
    </section>
  );
}

function Shown({
  standing,
  approve,
}: {
  readonly standing: Standing;
  readonly approve: () => void;
}) {
  const say = useWords();
  const { verdict, approvedAt, proposal, changes, tools, fresh } = standing;
  const lines = [
    ...changes,
    ...tools.flatMap(({ name, changes: of }) => [name, ...of]),
    ...fresh.map((name) => `+ ${name}`),
  ];
  const isOpen = verdict !== 'trusted' || lines.length > 0;
  return (
    <>
      <p>
        {verdict === 'trusted' ? say('approved') : verdict}
        {approvedAt !== undefined && ` · ${new Date(approvedAt).toLocaleString()}`}
      </p>
      {proposal.length > 0 && (
        <details open={isOpen}>
          <summary>{say('wouldDo')}</summary>
          <dl className="pairs">
            {proposal.map(([name, text]) => (
              <div key={`${name} ${text}`}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {lines.length > 0 ? (
        <Lines lines={lines} label={say('changes')} />
      ) : (
        <p className="quiet">{say('noChanges')}</p>
      )}
      {isOpen && (
        <p>
          {say('approveAsk')}{' '}
          <button type="button" className="main" onClick={approve}>
            {say('approve')}
          </button>
        </p>
      )}
    </>
  );
}
