/** A Markdown table, padded so that it also reads well in a terminal. */
export function table(header, rows) {
  const cells = [header, ...rows].map((row) => row.map(format));
  const widths = header.map((_, i) => Math.max(3, ...cells.map((row) => row[i].length)));
  const numeric = header.map(
    (_, i) => i > 0 && cells.slice(1).every((row) => /^[\d.,–-]/.test(row[i])),
  );
  const line = (row) => {
    const padded = row.map((cell, i) =>
      numeric[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i]),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((w, i) => (numeric[i] ? `${'-'.repeat(w + 1)}:` : '-'.repeat(w + 2)));
  return [line(cells[0]), `|${rule.join('|')}|`, ...cells.slice(1).map(line)].join('\n');
}

/** A number with as many digits as it deserves; a dash where there is none. */
export function format(value) {
  if (value === undefined || value === null) return '–';
  if (typeof value !== 'number') return String(value);
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 10 ? 1 : 2);
}
