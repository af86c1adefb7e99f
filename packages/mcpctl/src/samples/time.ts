import { defineResourceTemplate } from 'mcp-kit/server';
import { fail, tool } from 'mcp-kit/tools';

interface TimeNow {
  readonly timeZone: string;
  readonly utc: string;
  readonly local: string;
  readonly weekday: string;
}

/** The time in a zone, or nothing when there is no such zone. */
function timeIn(timeZone: string): TimeNow | undefined {
  const now = new Date();
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
    const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
    const date = `${part('year')}-${part('month')}-${part('day')}`;
    const time = `${part('hour')}:${part('minute')}:${part('second')}`;
    const offset = part('timeZoneName').slice('GMT'.length) || 'Z';
    return {
      timeZone: format.resolvedOptions().timeZone,
      utc: now.toISOString(),
      local: `${date}T${time}${offset}`,
      weekday: part('weekday'),
    };
  } catch {
    return undefined;
  }
}

/** Works without arguments: the first tool to try. */
export const getTimeNow = tool({
  name: 'get_time_now',
  title: 'Time now',
  description: 'Tells the date and time now, in UTC and in a time zone.',
  category: 'time',
  safety: 'readonly',
  idempotent: false,
  annotations: { readOnlyHint: true, openWorldHint: false },
  examples: [{ input: {} }, { input: { timeZone: 'Europe/Paris' } }],
  input: {
    type: 'object',
    properties: {
      timeZone: {
        type: 'string',
        maxLength: 100,
        description: 'A zone of the IANA database, such as Europe/Paris. Default: UTC.',
      },
    },
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      timeZone: { type: 'string' },
      utc: { type: 'string', description: 'ISO 8601, with milliseconds.' },
      local: { type: 'string', description: 'ISO 8601, with the offset of the zone.' },
      weekday: { type: 'string' },
    },
    required: ['timeZone', 'utc', 'local', 'weekday'],
    additionalProperties: false,
  },
  run({ timeZone = 'UTC' }) {
    const time = timeIn(timeZone);
    if (time !== undefined) return time;
    throw fail('E_INVALID_ARGUMENT', `There is no time zone "${timeZone}".`, {
      suggestion: 'Use a name such as Europe/Paris, Asia/Tokyo or UTC.',
    });
  },
});

/** The same for readers of resources. */
export const timeInZone = defineResourceTemplate({
  uriTemplate: 'demo://time/{+zone}',
  name: 'time_in_zone',
  title: 'Time in a zone',
  description: 'The date and time now in a time zone, as JSON.',
  mimeType: 'application/json',
  complete: {
    zone: (typed) => {
      const wanted = typed.toLowerCase();
      const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
      return zones.filter((zone) => zone.toLowerCase().includes(wanted));
    },
  },
  read({ zone = '' }) {
    const time = timeIn(zone);
    return time && JSON.stringify(time);
  },
});
