import type { InputHandlers } from 'mcp-kit/client';

/** Answers everything. */
export const inputs: InputHandlers = {
  elicit: ({ message }) => ({
    action: 'accept',
    content: message.includes('colour') ? { colour: 'red' } : { name: 'Ada' },
  }),
  elicitUrl: ({ url }) => ({
    action: url.startsWith('https://example.com/') ? 'accept' : 'cancel',
  }),
  sample: ({ maxTokens }) => ({
    role: 'assistant',
    model: `m${maxTokens}`,
    content: { type: 'text', text: 'word' },
  }),
  roots: [{ uri: 'file:///repo', name: 'repo' }],
};

/** A form with defaults, and a field without. */
export const form = {
  message: 'Which?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'nobody' },
      age: { type: 'integer', default: 7 },
      nick: { type: 'string' },
    },
  },
};
