// What a client does in each scenario, in terms of the library alone; the suites judge what arrives at their servers.
import { listSkills, readSkillFile } from 'mcp-kit/client';

const scenarios = {
  initialize: listTools,
  'request-metadata': listTools,
  'json-schema-ref-no-deref': listTools,
  tools_call: callTools,
  'elicitation-sep1034-client-defaults': callTools,
  'sse-retry': callTools,
  'http-invalid-tool-headers': callTools,
  'sep-2322-client-request-state': callToolsAtOnce,
  'http-standard-headers': useEverything,
  'http-custom-headers': callAsTold,
  'json-schema-2020-12-preservation': returnSchema,
  'sep-2640-client-no-prefetch': listAllSkills,
  'sep-2640-client-verify-digest': loadSkills,
  'sep-2640-client-verify-size': loadSkills,
  'sep-2640-client-verify-frontmatter': loadSkills,
};

/** Gives what to do in a scenario, as a function of an open session and of what the suite says about it. */
export function scenarioNamed(name) {
  if (Object.hasOwn(scenarios, name)) return scenarios[name];
  // What they do is the same; how they are let in is not.
  if (name.startsWith('auth/')) return callTools;
  throw new Error(`"${name}": no scenario known here`);
}

/** In these the server, or whoever issues its tokens, does something that must not be put up with. */
const refused = new Set([
  'auth/iss-normalized',
  'auth/iss-supported-missing',
  'auth/iss-unexpected',
  'auth/iss-wrong-issuer',
  'auth/metadata-issuer-mismatch',
  'auth/resource-mismatch',
  'auth/scope-retry-limit',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-frontmatter',
  'sep-2640-client-verify-size',
]);

export const isRefusedIn = (scenario) => refused.has(scenario);

async function listTools(session) {
  const tools = [];
  for await (const tool of session.tools()) tools.push(tool);
  return tools;
}

async function call(session, { name, arguments: args }) {
  const { isError, content } = await session.callTool(name, args);
  if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
}

async function callTools(session) {
  for (const { name, inputSchema } of await listTools(session)) {
    await call(session, { name, arguments: sampleOf(inputSchema) });
  }
}

/** The way to find out whether what belongs to one call leaks into another. */
async function callToolsAtOnce(session) {
  const tools = await listTools(session);
  await Promise.all(
    tools.map(({ name, inputSchema }) => call(session, { name, arguments: sampleOf(inputSchema) })),
  );
}

async function callAsTold(session, { toolCalls }) {
  await listTools(session);
  for (const toolCall of toolCalls) await call(session, toolCall);
}

async function useEverything(session) {
  await callTools(session);
  for await (const { uri } of session.resources()) await session.readResource(uri);
  for await (const { name } of session.prompts()) await session.getPrompt(name);
}

/** Shows the server how its schema arrived. */
async function returnSchema(session) {
  const tools = await listTools(session);
  const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  await call(session, { name: 'json_schema_echo', arguments: { schema: inputSchema } });
}

async function listAllSkills(session) {
  const skills = [];
  for await (const skill of listSkills(session)) skills.push(skill);
  return skills;
}

/** Reads every file of every skill, the instructions first. */
async function loadSkills(session) {
  for (const skill of await listAllSkills(session)) {
    await readSkillFile(session, skill);
    for (const { uri } of skill.resources) await readSkillFile(session, skill, uri);
  }
}

/** Arguments that a schema of required, plain properties accepts. */
function sampleOf({ properties = {}, required = [] }) {
  return Object.fromEntries(required.map((name) => [name, samples[properties[name].type]]));
}

const samples = { string: 'sample', number: 1.5, integer: 1, boolean: true, array: [], object: {} };
