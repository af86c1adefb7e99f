import { createHash } from 'node:crypto';

/** What the server does in one step. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * KEYS: the value. ARGV: whether one is expected and which, whether one is written and which, and for how many milliseconds
 * (0: for good). 1 when it has written.
 */
export const cas: Script = script(`
local found = redis.call('GET', KEYS[1])
if ARGV[1] == '0' then
  if found then return 0 end
elseif found ~= ARGV[2] then
  return 0
end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
elseif ARGV[5] == '0' then
  redis.call('SET', KEYS[1], ARGV[4])
else
  redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
end
return 1
`);

/**
 * KEYS: what is known of the log, its entries. ARGV: the position or "next", the text, for how many milliseconds (0: as before), and
 * how many bytes the log may have. The position; or the last one as an error, where that is not below. The channel that tells of it
 * is named like the entries.
 */
export const append: Script = script(`
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or nil)
local at = tonumber(ARGV[1])
if not at then
  local time = redis.call('TIME')
  at = math.max((last or 0) + 1, time[1] * 1000000 + time[2])
elseif last and at <= last then
  return { 0, string.format('%.0f', last) }
end
local position = string.format('%.0f', at)
if not last then
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[1], 'horizon', string.format('%.0f', at - 1))
end
redis.call('XADD', KEYS[2], position .. '-1', 'd', ARGV[2])
redis.call('HSET', KEYS[1], 'last', position)
local bytes = redis.call('HINCRBY', KEYS[1], 'bytes', #ARGV[2] + 64)
while bytes > tonumber(ARGV[4]) do
  local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[2], oldest[1])
  redis.call('HSET', KEYS[1], 'horizon', string.sub(oldest[1], 1, -3))
  bytes = redis.call('HINCRBY', KEYS[1], 'bytes', -(#oldest[2][2] + 64))
end
if ARGV[3] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
redis.call('SPUBLISH', KEYS[2], '')
return { 1, position }
`);

/**
 * KEYS: what is known of the log, its entries. ARGV: after which position, and how many. The horizon and the entries, from one moment;
 * nothing where there is no log.
 */
export const readAfter: Script = script(`
local horizon = redis.call('HGET', KEYS[1], 'horizon')
if not horizon then return false end
if ARGV[2] == '0' then return { horizon, {} } end
return { horizon, redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-1', '+', 'COUNT', ARGV[2]) }
`);
