/** What would run, load, open or cover something where a page takes text for more than that. */
const payloads = [
  '<script>window.harmed = 1</script>',
  '<img src=x onerror="window.harmed = 1">',
  '<svg onload="window.harmed = 1"></svg>',
  '<iframe srcdoc="<script>parent.harmed = 1</script>"></iframe>',
  '<a href="javascript:window.harmed = 1">go</a>',
  '<form action="https://evil.example"><button>go</button></form>',
  '<style>* { display: none }</style>',
  '<link rel="stylesheet" href="https://evil.example/a.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<object data="https://evil.example/a.swf"></object>',
  '<video src="https://evil.example/a.mp4" autoplay onerror="window.harmed = 1"></video>',
  '<details open ontoggle="window.harmed = 1">x</details>',
  '<input autofocus onfocus="window.harmed = 1">',
  '<math><mtext></p><script>window.harmed = 1</script>',
  'javascript:window.harmed = 1',
  'data:text/html,<script>opener.harmed = 1</script>',
  '![x](https://evil.example/a.png)',
  '[go](javascript:window.harmed%20=%201)',
  '{{constructor.constructor("window.harmed = 1")()}}',
  '${window.harmed = 1}',
  '\u202Etxet desrever\u202C',
  '\u0000\u001B[2J\u0007',
  '</pre></main></body></html>',
  '__proto__',
];

/** How else they may come. */
const dressings: readonly ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `"'>${payload}`,
  (payload) => `</textarea></title>${payload}`,
  (payload) => payload.replaceAll('<', '&lt;'),
  (payload) => payload.toUpperCase().replaceAll('WINDOW.HARMED', 'window.harmed'),
  (payload) => `${payload}\n`.repeat(20),
  (payload) => JSON.stringify({ html: payload, [payload]: payload }),
  (payload) => `\uFEFF${payload}${'x'.repeat(5000)}`,
];

/** 200 texts that mean harm. */
export const hostileTexts: readonly string[] = payloads.flatMap((payload) =>
  dressings.map((dress) => dress(payload)),
);
