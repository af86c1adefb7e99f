import type { PeerCertificate } from 'node:tls';
import type { IncomingHttpHeaders } from 'node:http';
import { gistOf, hideSecrets, KitError } from 'mcp-kit/internal';
import type { Answer, Probe, Stage } from './probe.ts';
import { failedRung, skippedRungs, type Rung, type RungName } from './rung.ts';

const direct: readonly Stage[] = ['dns', 'tcp', 'tls', 'http'];
const proxied: readonly Stage[] = ['proxy', 'tls', 'http'];

/** Where a request went, and the proxy that it went through. */
export interface Route {
  readonly url: URL;
  readonly proxy: URL | undefined;
}

/** What one request tells about the way to a server: its name, its address, its certificate, its answer. */
export function networkRungs(seen: Probe, { url, proxy }: Route): readonly Rung[] {
  const isSecure = url.protocol === 'https:';
  const stages = proxy === undefined ? direct : proxied;
  const way = stages.filter((stage) => isSecure || stage !== 'tls');
  const { failure } = seen;
  const reached = failure === undefined ? way.length : way.indexOf(failure.stage);
  const rungs = way
    .slice(0, reached)
    .map((stage) => (stage === 'proxy' ? proxyRung(seen, proxy) : rungOf[stage](seen, url)));
  if (failure === undefined) return rungs;
  const rest: readonly RungName[] = way.slice(reached + 1);
  return [
    ...rungs,
    stageFailed(failure, seen, url),
    ...skippedRungs(rest, `${failure.stage} failed`),
  ];
}

/** Its password is not shown. */
function proxyRung({ took }: Probe, proxy: URL | undefined): Rung {
  const said = `the proxy ${proxy?.origin} has opened a connection`;
  return { name: 'proxy', state: 'ok', said, ms: took.proxy };
}

const rungOf: Readonly<Record<Exclude<Stage, 'proxy'>, (seen: Probe, url: URL) => Rung>> = {
  dns({ took, addresses }, { hostname }) {
    if (addresses.length === 0)
      return { name: 'dns', state: 'ok', said: `${hostname} is an address` };
    const said = `${hostname} is ${addresses.join(', ')}`;
    return { name: 'dns', state: 'ok', said, ms: took.dns };
  },
  tcp({ took, address }, url) {
    const said = `connected to ${address ?? url.hostname}, port ${portOf(url)}`;
    return { name: 'tcp', state: 'ok', said, ms: took.tcp };
  },
  tls({ took, certificate, tlsVersion = 'TLS' }) {
    const more = describeCertificate(certificate);
    const rung = { name: 'tls', said: tlsVersion, more, ms: took.tls } as const;
    const days = certificate === undefined ? Infinity : daysLeft(certificate);
    if (days > 14) return { ...rung, state: 'ok' };
    const fix = `Renew the certificate: it expires in ${Math.floor(days)} days.`;
    return { ...rung, state: 'warning', fix };
  },
  http: httpRung,
};

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

function describeCertificate(certificate: PeerCertificate | undefined): readonly string[] {
  if (certificate === undefined) return [];
  // Where there is none, the fields are missing, whatever the types say.
  const {
    issuer,
    subject,
    valid_to: expiry,
    subjectaltname: names,
  } = certificate as Partial<PeerCertificate>;
  const holder = names?.replaceAll('DNS:', '') ?? subject?.CN;
  const signer = issuer?.O ?? issuer?.CN;
  const lines: string[] = [];
  if (holder !== undefined) lines.push(`for ${String(holder)}`);
  if (signer !== undefined) lines.push(`issued by ${String(signer)}`);
  if (expiry !== undefined) lines.push(`valid until ${dateOf(expiry)}`);
  return lines;
}

function dateOf(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? text : new Date(at).toISOString().slice(0, 10);
}

function daysLeft({ valid_to: expiry }: PeerCertificate): number {
  const at = Date.parse(expiry);
  return Number.isNaN(at) ? Infinity : (at - Date.now()) / 86_400_000;
}

function httpRung({ took, response }: Probe, url: URL): Rung {
  const { status = 0, headers, body = '' } = response ?? {};
  const server = headers?.['server']?.toString();
  const said = `HTTP ${status}${server === undefined ? '' : ` from ${server}`}`;
  const more = status >= 400 || isPage(headers) ? sayingOf(body) : [];
  const rung = { name: 'http', said, more, ms: took.http } as const;
  if (status >= 500) {
    const fix = 'The server is ill: look at its log, or try again later.';
    return { ...rung, state: 'failed', fix };
  }
  if (status >= 300 && status < 400) return redirectRung(rung, headers?.location, url);
  if (!isMissing(status, body) && !isPage(headers)) return { ...rung, state: 'ok' };
  const fix = 'Check the path of the URL: MCP endpoints often end in /mcp or /sse.';
  return { ...rung, state: 'warning', fix };
}

/** What an answer is that a browser would show. */
function isPage(headers: IncomingHttpHeaders | undefined): boolean {
  return /^text\/html\b/i.test(headers?.['content-type'] ?? '');
}

/** What a body says, without secrets. */
function sayingOf(body: string): readonly string[] {
  const gist = gistOf(body);
  return gist === '' ? [] : [`it says: ${hideSecrets(gist, '…')}`];
}

function redirectRung(
  rung: Pick<Rung, 'name' | 'said'>,
  location: string | undefined,
  from: URL,
): Rung {
  const to =
    location !== undefined && URL.canParse(location, from.href)
      ? new URL(location, from)
      : undefined;
  if (to === undefined) return { ...rung, state: 'failed', fix: 'It redirects to nowhere.' };
  const shown = `${to.origin}${to.pathname}`;
  const more = [`redirects to ${shown}`];
  if (to.origin === from.origin) return { ...rung, state: 'ok', more };
  const fix = `Redirects to another origin are not followed: if you trust it, use ${shown} as the URL.`;
  return { ...rung, state: 'failed', more, fix };
}

/** Whether there is nothing at a place. An endpoint that does not know the session says so in JSON-RPC. */
function isMissing(status: number, body: string): boolean {
  return [404, 405, 410].includes(status) && !isJsonRpc(body);
}

function isJsonRpc(body: string): boolean {
  return /^\s*\{/.test(body) && body.includes('"jsonrpc"');
}

function stageFailed(
  failure: { readonly stage: Stage; readonly error: Error },
  seen: Probe,
  url: URL,
): Rung {
  const { stage } = failure;
  if (seen.response !== undefined) return unfinishedRung(seen.response);
  if (stage === 'proxy') return failedRung(stage, failure.error);
  const error = causeOf(failure.error);
  const rung = failedRung(stage, error);
  if (error instanceof KitError && error.code !== 'timeout') return rung;
  const code = error instanceof KitError ? '' : ((error as NodeJS.ErrnoException).code ?? '');
  const said = reasonOf(error, code);
  const more = describeCertificate(seen.certificate);
  return { ...rung, said, more, fix: fixOf(stage, code, url) };
}

/** An answer that began, and did not end in time. */
function unfinishedRung({ status, body }: Answer): Rung {
  const said = `HTTP ${status}, and the answer is unfinished: ${body.length} characters came`;
  const fix = 'Look at the log of the server, or give it more time with --timeout-ms.';
  return { name: 'http', state: 'failed', said, more: sayingOf(body), fix };
}

/** The failure of the system behind our own words for it. */
function causeOf(error: Error): Error {
  const isOutage = error instanceof KitError && error.code === 'unreachable';
  return isOutage && error.cause instanceof Error ? error.cause : error;
}

function reasonOf(error: Error, code: string): string {
  const message = error.message.split('\n')[0] ?? '';
  // When every address of a name fails, the message is empty.
  return message.includes(code) ? message : `${code} ${message}`.trim();
}

function fixOf(stage: Exclude<Stage, 'proxy'>, code: string, url: URL): string {
  const place = `${url.hostname}, port ${portOf(url)}`;
  switch (stage) {
    case 'dns':
      return code === 'ENOTFOUND'
        ? `No such name: check the spelling of ${url.hostname}, and whether it needs a VPN.`
        : 'The names of the internet cannot be looked up: check the network.';
    case 'tcp':
      return code === 'ECONNREFUSED'
        ? `Nothing listens at ${place}: start the server, or correct the port.`
        : `${place} does not answer: check the network, a firewall, a VPN.`;
    case 'tls':
      return tlsFix(code, url);
    case 'http':
      return code.startsWith('HPE_')
        ? 'It does not speak HTTP: check the port, and whether the URL should begin with https://.'
        : 'It took the connection and did not answer: look at the log of the server.';
  }
}

function tlsFix(code: string, { hostname }: URL): string {
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate has expired: renew it at the server.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `The certificate is for other names: use one of them in the URL, or get one for ${hostname}.`;
  }
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) {
    return 'Nobody whom this machine trusts has signed it: name its issuer with NODE_EXTRA_CA_CERTS=file.pem.';
  }
  if (/EPROTO|SSL|ECONNRESET/.test(code)) {
    return 'It does not speak TLS here: check the port, and whether the URL should begin with http://.';
  }
  return 'Check the certificate of the server.';
}
