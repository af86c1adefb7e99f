// Draws docs/images/gateway.svg: what a gateway is, for the first screen of the README. With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.mjs';

const file = path.join(root, 'docs/images/gateway.svg');
const row = 46;
const clients = ['Claude, Cursor, VS Code, …', 'your program', 'legacy and modern clients'];
const servers = ['a process', 'a URL', 'a unix socket'];
const facts = [
  'one list, no name twice',
  'nothing runs unapproved',
  'one bad server hurts no other',
];

const at = (index) => 30 + index * row;
const box = ([x, y], text, { width, kind }) =>
  `<rect x="${x}" y="${y}" width="${width}" height="32" rx="6" class="${kind}"/>` +
  `<text x="${x + width / 2}" y="${y + 21}" text-anchor="middle">${text}</text>`;
const arrow = ([x1, y1], [x2, y2]) =>
  `<path d="M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}"/>`;

const middle = at(1) + 16;
const parts = [
  ...clients.map((text, index) => box([10, at(index)], text, { width: 210, kind: 'client' })),
  ...clients.map((_, index) => arrow([220, at(index) + 16], [290, middle])),
  '<rect x="290" y="14" width="240" height="156" rx="10" class="gateway"/>',
  '<text x="410" y="44" text-anchor="middle" class="title">mcpctl up</text>',
  '<text x="410" y="66" text-anchor="middle" class="code">http://127.0.0.1:7420/mcp</text>',
  ...facts.map(
    (text, index) => `<text x="410" y="${98 + index * 24}" text-anchor="middle">${text}</text>`,
  ),
  ...servers.map((_, index) => arrow([530, middle], [600, at(index) + 16])),
  ...servers.map((text, index) => box([600, at(index)], text, { width: 130, kind: 'server' })),
];
const style = `text{font:14px system-ui,sans-serif;fill:#1f2430}.title{font-weight:600;font-size:17px}
.code{font-family:ui-monospace,monospace;font-size:13px}path{fill:none;stroke:#8a94a6;stroke-width:1.5}
rect{stroke:#8a94a6}.client{fill:#eef4ff}.gateway{fill:#fff8e6}.server{fill:#edf9f0}`;
const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 184" role="img">
<title>Clients of every kind reach one gateway, and the gateway reaches servers of every kind</title>
<style>${style}</style>
<rect width="740" height="184" rx="12" fill="#ffffff" stroke="none"/>
${parts.join('\n')}
</svg>
`;

if (!process.argv.includes('--check')) writeFileSync(file, drawn);
else if (readFileSync(file, 'utf8') !== drawn) {
  console.error('docs/images/gateway.svg is not what scripts/gateway-picture.mjs draws: run it');
  process.exitCode = 1;
}
