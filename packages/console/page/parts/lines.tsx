/** What was there and what is there now, line by line. */
export function Lines({
  lines,
  label,
}: {
  readonly lines: readonly string[];
  readonly label: string;
}) {
  return (
    <pre className="lines" tabIndex={0} aria-label={label}>
      {lines.map((line, at) => (
        <span
          // Lines have no names, and stay in their order.
          key={`${at}`}
          className={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}
        >
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}
