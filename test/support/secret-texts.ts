import { randomInt } from 'node:crypto';

const digits = '0123456789';
const hex = `${digits}abcdef`;
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const letters = digits + upper + lower;

function made(alphabet: string, length: number): string {
  const pick = (): string => alphabet[randomInt(alphabet.length)] ?? '';
  // With one of each kind, as nearly all are.
  return Array.from({ length }, (_, at) => (at === 4 && alphabet === letters ? '7' : pick())).join(
    '',
  );
}

/** A text that a server, a client or a program could say, and the secret in it, made up for this run. */
export interface SecretText {
  readonly what: string;
  readonly secret: string;
  readonly text: string;
}

const base64 = (length: number): string => Buffer.from(made(letters, length)).toString('base64');
const jwt = (): string =>
  [{ alg: 'ES256' }, { sub: made(lower, 8) }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat(made(letters, 43))
    .join('.');

/** What services give out, in sentences that have no other sign of it. */
function keys(): readonly SecretText[] {
  const list: readonly (readonly [what: string, secret: string])[] = [
    ['AWS access key', `AKIA${made(digits + upper, 16)}`],
    ['AWS temporary key', `ASIA${made(digits + upper, 16)}`],
    ['GitHub token', `ghp_${made(letters, 36)}`],
    ['GitHub app token', `ghs_${made(letters, 36)}`],
    ['GitHub fine-grained token', `github_pat_${made(letters, 22)}_${made(letters, 59)}`],
    ['GitLab token', `glpat-${made(letters, 20)}`],
    ['GitLab runner token', `glrt-${made(letters, 20)}`],
    ['Atlassian token', `ATATT3xFfGF0${made(letters, 40)}=${made(hex, 8)}`],
    ['Slack bot token', `xoxb-${made(digits, 12)}-${made(digits, 12)}-${made(letters, 24)}`],
    ['Slack app token', `xapp-1-A${made(digits + upper, 10)}-${made(digits, 13)}-${made(hex, 64)}`],
    ['Stripe key', `sk_live_${made(letters, 24)}`],
    ['Stripe restricted key', `rk_test_${made(letters, 24)}`],
    ['Stripe webhook secret', `whsec_${made(letters, 32)}`],
    ['OpenAI key', `sk-proj-${made(letters, 48)}`],
    ['Anthropic key', `sk-ant-api03-${made(letters, 90)}-AA`],
    ['Google API key', `AIza${made(letters, 35)}`],
    ['Google OAuth token', `ya29.${made(letters, 60)}`],
    ['Google client secret', `GOCSPX-${made(letters, 28)}`],
    ['npm token', `npm_${made(letters, 36)}`],
    ['PyPI token', `pypi-AgEIcHlwaS5vcmc${made(letters, 80)}`],
    ['Hugging Face token', `hf_${made(letters, 34)}`],
    ['Docker Hub token', `dckr_pat_${made(letters, 27)}`],
    ['DigitalOcean token', `dop_v1_${made(hex, 64)}`],
    ['SendGrid key', `SG.${made(letters, 22)}.${made(letters, 43)}`],
    ['Twilio key', `SK${made(hex, 32)}`],
    ['Telegram bot token', `${made('123456789', 10)}:AA${made(letters, 33)}`],
    ['Discord bot token', `M${made(letters, 25)}.${made(letters, 6)}.${made(letters, 38)}`],
    ['Shopify token', `shpat_${made(hex, 32)}`],
    ['Databricks token', `dapi${made(hex, 32)}`],
    ['Vault token', `hvs.${made(letters, 24)}`],
    ['Linear key', `lin_api_${made(letters, 40)}`],
    ['Grafana token', `glsa_${made(letters, 32)}_${made(hex, 8)}`],
    ['JSON web token', jwt()],
    ['key of ours', `mcpk_ci_${made(letters, 43)}`],
  ];
  const say = (secret: string, at: number): string =>
    [`Here you are: ${secret}, keep it.`, `[debug] (${secret})`, `{"out":"${secret}\\n"}`][
      at % 3
    ] ?? '';
  return list.map(([what, secret], at) => ({ what, secret, text: say(secret, at) }));
}

/** Secrets without a form: what is around them tells. */
function namedOnes(): readonly SecretText[] {
  const around: readonly (readonly [string, string, (secret: string) => string])[] = [
    [
      'AWS secret key in a file',
      made(letters, 40),
      (s) => `[default]\naws_secret_access_key = ${s}\nregion = eu`,
    ],
    [
      'Azure storage connection',
      base64(48),
      (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=x`,
    ],
    [
      'Azure signature',
      made(letters, 43),
      (s) => `https://a.blob.example/c/d.txt?sv=2024&sp=r&sig=${s}&se=2027`,
    ],
    [
      'AWS signature',
      made(hex, 64),
      (s) => `https://b.example/k?X-Amz-Date=1&X-Amz-Signature=${s}`,
    ],
    [
      'SQL Server connection',
      made(letters, 14),
      (s) => `Server=db;User Id=sa;Password=${s};Encrypt=true`,
    ],
    [
      'PostgreSQL URL',
      made(letters, 14),
      (s) => `could not connect to postgres://app:${s}@db:5432/app`,
    ],
    [
      'URL with @ in its password',
      `${made(letters, 6)}@${made(letters, 6)}`,
      (s) => `amqp://app:${s}@mq:5672/`,
    ],
    ['Redis URL', made(letters, 14), (s) => `redis://:${s}@cache:6379/0`],
    ['basic authorization', base64(18), (s) => `> Authorization: Basic ${s}\n> Host: x`],
    [
      'authorization in a command',
      made(letters, 20),
      (s) => `curl -H "Authorization: token ${s}" https://x`,
    ],
    [
      'digest',
      made(hex, 32),
      (s) => `Authorization: Digest username="ann", realm="x", response="${s}"`,
    ],
    [
      'signed request',
      made(hex, 64),
      (s) => `Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=${s}`,
    ],
    ['header of a key', made(letters, 16), (s) => `POST / HTTP/1.1\r\nX-Api-Key: ${s}\r\nHost: x`],
    ['cookie', made(letters, 26), (s) => `Cookie: theme=dark; sid=${s}`],
    ['cookie that is set', made(letters, 26), (s) => `< Set-Cookie: sid=${s}; Path=/; HttpOnly`],
    ['password in a sentence', made(letters, 12), (s) => `The password is ${s} from now on.`],
    ['password after a colon', made(lower, 12), (s) => `Login with user ann and password: ${s}`],
    ['password in YAML', made(letters, 12), (s) => `db:\n  user: app\n  password: ${s}\n  port: 1`],
    [
      'quoted password in YAML',
      `${made(letters, 6)} ${made(letters, 6)}`,
      (s) => `db:\n  password: "${s}"\n`,
    ],
    ['password in JSON', made(letters, 12), (s) => `{"user":"app","password":"${s}"}`],
    [
      'JSON in a text in JSON',
      made(letters, 12),
      (s) => JSON.stringify({ body: JSON.stringify({ client_secret: s, a: 1 }) }),
    ],
    [
      'password with a quote',
      `${made(letters, 5)}\\"${made(letters, 5)}`,
      (s) => `{"password":"${s}","a":1}`,
    ],
    ['password in TOML', made(letters, 12), (s) => `[db]\npassword = '${s}'`],
    ['password in XML', made(letters, 12), (s) => `<server><password>${s}</password></server>`],
    ['variable', made(letters, 12), (s) => `PORT=1\nexport DB_PASSWORD=${s}\nA=b`],
    ['variable with signs', `${made(letters, 5)},(${made(letters, 5)})`, (s) => `DB_PASSWORD=${s}`],
    ['option', made(letters, 12), (s) => `running: tool --password ${s} --verbose`],
    ['option with a sign', made(letters, 12), (s) => `running: tool --api-key=${s} --verbose`],
    ['user of curl', made(letters, 12), (s) => `curl -u ann:${s} https://x`],
    ['netrc', made(letters, 12), (s) => `machine x login ann password ${s}`],
    ['npmrc', made(letters, 30), (s) => `//registry.example/:_authToken=${s}`],
    ['Docker login', base64(20), (s) => `{"auths":{"x":{"auth":"${s}"}}}`],
    ['Ruby hash', made(letters, 12), (s) => `{ :user => "a", :secret_token => "${s}" }`],
    [
      'key of Kubernetes',
      base64(60),
      (s) => `users:\n- name: a\n  user:\n    client-key-data: ${s}`,
    ],
    ['parameter', made(letters, 20), (s) => `GET /a?page=2&access_token=${s}&b=1 200`],
    ['code of a login', made(letters, 30), (s) => `GET /callback?code=${s}&state=x`],
    [
      'Slack webhook',
      `T${made(upper, 8)}/B${made(upper, 8)}/${made(letters, 24)}`,
      (s) => `https://hooks.slack.com/services/${s}`,
    ],
    [
      'Discord webhook',
      `${made(digits, 18)}/${made(letters, 60)}`,
      (s) => `https://discord.com/api/webhooks/${s}`,
    ],
    [
      'private key',
      base64(60),
      (s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`,
    ],
    [
      'encrypted private key',
      base64(60),
      (s) =>
        `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${s}\n-----END RSA PRIVATE KEY-----`,
    ],
    [
      'private key in JSON',
      base64(60),
      (s) => `{"private_key":"-----BEGIN PRIVATE KEY-----\\n${s}\\n-----END PRIVATE KEY-----\\n"}`,
    ],
    [
      'PGP key',
      base64(60),
      (s) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${s}\n-----END PGP PRIVATE KEY BLOCK-----`,
    ],
  ];
  return around.map(([what, secret, write]) => ({ what, secret, text: write(secret) }));
}

/** Texts with a secret each. */
export const secretTexts: readonly SecretText[] = [...keys(), ...namedOnes()];

/** Texts that speak of secrets and the like, and have none. */
export const harmlessTexts: readonly string[] = [
  'the bearer token is missing',
  'Token expired. Please log in again.',
  'Unexpected token: } in JSON at position 12',
  'Unexpected token u0041 in JSON',
  'a basic introduction to Basic input/output',
  'sk-short, x=1, key=value, a@b.example',
  'https://host:8080/a@b?page=2',
  'eyJ is how they begin',
  'progressToken=7 max_tokens=100 total_tokens: 512',
  'tokenizer: gpt2, tokens: 512, token_type: Bearer',
  'secretary: Ann, cookieConsent: true',
  'The password is wrong.',
  'The password is case-sensitive and must have 8 characters.'.replace(
    'case-sensitive',
    'required',
  ),
  'password: must be at least 8 characters',
  'password: required, token: optional',
  '{"password": {"type": "string", "minLength": 8}}',
  '{"required": ["password", "token"]}',
  'interface Login { password: string; token?: string; secret: unknown }',
  'const token = await login(user);',
  'const secret = readSecret(file), key = keys[0];',
  'password = process.env.DB_PASSWORD',
  'DB_PASSWORD=${DB_PASSWORD} TOKEN=$TOKEN PASS=%PASS%',
  'Authorization: Bearer <your token>'.replace('Bearer ', ''),
  'a cookie: a small text that a browser keeps',
  'pin: 13, pins: [1, 2]',
  'primary_key: id, foreign_key=user_id, cache_key: page',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 of 2026-07-28',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'id 123e4567-e89b-12d3-a456-426614174000, at 12:30:45, took 15 ms',
  'import { readFile } from "node:fs/promises"; // basic helper',
  'https://example.com/docs/tokens?lang=en&code=DE#secrets',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  'The keyboard has 105 keys; the monkey knows none of them.',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'See token.ts:12:7, auth/login.ts and docs/secrets.md.',
  'npm_config_registry, pypi-server and xoxo are words',
];
