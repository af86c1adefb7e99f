import type { DeviceAuthorizationResponse } from 'oauth4webapi';
import { KitError, pause } from '#base';
import type { Credentials, KeptClient } from '../credentials.ts';
import { needsPerson } from '../failures.ts';
import { clientAuthOf } from '../identity.ts';
import { oauth, oauthErrorOf, sendOptions, oauthFailure } from '../oauth.ts';
import type { Setup } from '../options.ts';
import { becomeClient } from '../registration.ts';
import { bound, type Situation } from '../situation.ts';
import { requestTokens, type Tokens } from '../tokens.ts';
import { wishesOf } from './browser.ts';
import { clientOf } from './refresh.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const usualWaitMs = 5000;
/** What a server adds to the wait that it finds too short. */
const slowDownMs = 5000;

/** Lets a person log in on another device, with a code (RFC 8628). */
export async function logInByDevice(setup: Setup, situation: Situation): Promise<Credentials> {
  const { issuer } = situation;
  const { device } = setup.options.interact ?? {};
  if (device === undefined) throw needsPerson(setup);
  const client = await becomeClient(issuer, wishesOf(setup, undefined), setup);
  const begun = await begin(setup, situation, client);
  const expiresAt = Date.now() + begun.expires_in * 1000;
  await device.call(setup.options.interact, {
    userCode: begun.user_code,
    verificationUri: begun.verification_uri,
    completeUri: begun.verification_uri_complete,
    expiresAt,
  });
  const tokens = await poll({ setup, situation, client, begun, expiresAt });
  return bound(tokens, situation, client);
}

async function begin(
  setup: Setup,
  { issuer, resource, scopes }: Situation,
  client: KeptClient,
): Promise<DeviceAuthorizationResponse> {
  const { deviceAuthorizationRequest, processDeviceAuthorizationResponse } = await oauth();
  const proof = await clientAuthOf(clientOf(setup, client), issuer);
  const parameters = new URLSearchParams();
  if (resource !== undefined) parameters.set('resource', resource);
  if (scopes !== undefined) parameters.set('scope', scopes.join(' '));
  const us = { client_id: client.id };
  try {
    const ways = await sendOptions(setup.fetch);
    const answer = await deviceAuthorizationRequest(issuer.metadata, us, proof, parameters, ways);
    return await processDeviceAuthorizationResponse(issuer.metadata, us, answer);
  } catch (error) {
    throw await oauthFailure(error, `no login by code at ${issuer.name}`);
  }
}

interface Poll {
  readonly setup: Setup;
  readonly situation: Situation;
  readonly client: KeptClient;
  readonly begun: DeviceAuthorizationResponse;
  readonly expiresAt: number;
}

async function poll({ setup, situation, client, begun, expiresAt }: Poll): Promise<Tokens> {
  const { issuer, resource, key } = situation;
  const { signal } = setup.options;
  let waitMs = begun.interval === undefined ? usualWaitMs : begun.interval * 1000;
  while (Date.now() < expiresAt) {
    await pause(waitMs, signal);
    try {
      return await requestTokens({
        fetch: setup.fetch,
        issuer,
        client: clientOf(setup, client),
        grant,
        parameters: { device_code: begun.device_code, resource },
        key,
      });
    } catch (error) {
      const code = oauthErrorOf(error);
      if (code === 'slow_down') waitMs += slowDownMs;
      else if (code !== 'authorization_pending') throw error;
    }
  }
  throw new KitError('timeout', `nobody typed the code at ${begun.verification_uri} in time`, {
    hint: 'Log in again to get another code.',
  });
}
