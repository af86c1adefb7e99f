import type { CommandEntry } from './command.ts';

/** Every command, in the order of the help; a new one is a file below `commands/` and a line here. Two words are a command, too. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  servers: {
    summary: 'List the servers of the configuration; with --check, which of them work.',
    aliases: ['list', 'list-servers'],
    load: async () => (await import('./commands/config/servers.ts')).servers,
  },
  tools: {
    summary: 'List the tools of a server, or of all.',
    aliases: ['list-tools'],
    load: async () => (await import('./commands/client/tools.ts')).tools,
  },
  call: {
    summary: 'Call a tool.',
    load: async () => (await import('./commands/client/call.ts')).call,
  },
  add: {
    summary:
      'Add a server to the configuration: a URL, a command, pasted JSON or TOML, or a name of the registry.',
    aliases: ['install'],
    load: async () => (await import('./commands/setup/add.ts')).add,
  },
  remove: {
    summary: 'Take servers out of the configuration.',
    aliases: ['uninstall'],
    load: async () => (await import('./commands/setup/remove.ts')).remove,
  },
  connect: {
    summary: 'Write servers, or a gateway, into the files of your other programs.',
    load: async () => (await import('./commands/setup/connect.ts')).connect,
  },
  disconnect: {
    summary: 'Undo what connect has written, to the byte.',
    load: async () => (await import('./commands/setup/disconnect.ts')).disconnect,
  },
  lint: {
    summary: 'Find what is wrong with the tools of a server, or with a manifest of them.',
    load: async () => (await import('./commands/inspect/lint.ts')).lint,
  },
  manifest: {
    summary: 'Write down all there is to know about the tools of a server.',
    load: async () => (await import('./commands/inspect/manifest.ts')).manifest,
  },
  'manifest diff': {
    summary: 'Tell what changed between two manifests, and whom it breaks.',
    load: async () => (await import('./commands/inspect/manifest-diff.ts')).manifestDiff,
  },
  trace: {
    summary: 'Draw where the time of a call went.',
    load: async () => (await import('./commands/inspect/trace.ts')).trace,
  },
  resources: {
    summary: 'List the resources of a server, and the templates of resources.',
    aliases: ['list-resources'],
    load: async () => (await import('./commands/client/resources.ts')).resources,
  },
  read: {
    summary: 'Read a resource.',
    load: async () => (await import('./commands/client/read.ts')).read,
  },
  prompts: {
    summary: 'List the prompts of a server.',
    aliases: ['list-prompts'],
    load: async () => (await import('./commands/client/prompts.ts')).prompts,
  },
  prompt: {
    summary: 'Get a prompt, filled in.',
    load: async () => (await import('./commands/client/prompt.ts')).prompt,
  },
  'tasks list': {
    summary: 'List the tasks that were begun here, and how they are.',
    load: async () => (await import('./commands/tasks/list.ts')).tasksList,
  },
  'tasks show': {
    summary: 'Show how a task is.',
    load: async () => (await import('./commands/tasks/show.ts')).tasksShow,
  },
  'tasks wait': {
    summary: 'Wait for the result of a task.',
    load: async () => (await import('./commands/tasks/wait.ts')).tasksWait,
  },
  'tasks cancel': {
    summary: 'Say that a task is no longer wanted.',
    load: async () => (await import('./commands/tasks/cancel.ts')).tasksCancel,
  },
  'skills list': {
    summary: 'List the skills of a server.',
    load: async () => (await import('./commands/skills/list.ts')).skillsList,
  },
  'skills show': {
    summary: 'Show what a skill says, compared with what its server has listed.',
    load: async () => (await import('./commands/skills/show.ts')).skillsShow,
  },
  'skills check': {
    summary: 'Find what is wrong with the skills of a server, or of a folder.',
    load: async () => (await import('./commands/skills/check.ts')).skillsCheck,
  },
  'skills install': {
    summary: 'Copy skills of a server into the folders that your other programs read.',
    load: async () => (await import('./commands/skills/install.ts')).skillsInstall,
  },
  'skills remove': {
    summary: 'Take away skills that were installed.',
    load: async () => (await import('./commands/skills/remove.ts')).skillsRemove,
  },
  request: {
    summary: 'Send any request, and print the result.',
    load: async () => (await import('./commands/client/request.ts')).request,
  },
  notify: {
    summary: 'Send any notification.',
    load: async () => (await import('./commands/client/notify.ts')).notify,
  },
  watch: {
    summary: 'Print what a server says by itself, as it says it.',
    load: async () => (await import('./commands/client/watch.ts')).watch,
  },
  ping: {
    summary: 'Ask whether a server is there, and how long it takes to answer.',
    load: async () => (await import('./commands/client/ping.ts')).ping,
  },
  doctor: {
    summary: 'Find out why a server does not work, step by step, and what to do.',
    load: async () => (await import('./commands/inspect/doctor.ts')).doctor,
  },
  login: {
    summary: 'Log in to a server.',
    load: async () => (await import('./commands/login/login.ts')).login,
  },
  logout: {
    summary: 'Forget the tokens for a server.',
    load: async () => (await import('./commands/login/logout.ts')).logout,
  },
  whoami: {
    summary: 'Say who is logged in where; nobody is asked.',
    load: async () => (await import('./commands/login/whoami.ts')).whoami,
  },
  'trust list': {
    summary: 'List which servers are trusted.',
    load: async () => (await import('./commands/trust/list.ts')).trustList,
  },
  'trust show': {
    summary: 'Show what a server would do, and what was approved of it.',
    load: async () => (await import('./commands/trust/show.ts')).trustShow,
  },
  'trust diff': {
    summary: 'Show what has changed since a server was approved.',
    load: async () => (await import('./commands/trust/diff.ts')).trustDiff,
  },
  'trust approve': {
    summary: 'Approve servers as they are now.',
    load: async () => (await import('./commands/trust/approve.ts')).trustApprove,
  },
  'trust revoke': {
    summary: 'Take approvals back.',
    load: async () => (await import('./commands/trust/revoke.ts')).trustRevoke,
  },
  'policy why': {
    summary: 'Explain what the policy decides about a call: which rule, in which file.',
    load: async () => (await import('./commands/policy/why.ts')).policyWhy,
  },
  'policy list': {
    summary: 'List the rules of the policy, and where they are written down.',
    load: async () => (await import('./commands/policy/list.ts')).policyList,
  },
  'config explain': {
    summary: 'Say where each server comes from, what it shadows and what it needs.',
    load: async () => (await import('./commands/config/explain.ts')).configExplain,
  },
  'config lint': {
    summary: 'Find what is wrong, risky or likely not meant in the files.',
    load: async () => (await import('./commands/config/lint.ts')).configLint,
  },
  'config convert': {
    summary: 'Write servers as another host has them.',
    load: async () => (await import('./commands/config/convert.ts')).configConvert,
  },
  'config files': {
    summary: 'List the files that are looked for.',
    load: async () => (await import('./commands/config/files.ts')).configFiles,
  },
  serve: {
    summary: 'Serve a set of sample tools over HTTP, stdio or a unix socket.',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  'keys new': {
    summary: 'Make the keys with which processes that serve as one seal what clients carry.',
    load: async () => (await import('./commands/keys/new.ts')).keysNew,
  },
  'keys rotate': {
    summary: 'Add a key that seals from five minutes from now on, and let the former lapse.',
    load: async () => (await import('./commands/keys/rotate.ts')).keysRotate,
  },
  'keys show': {
    summary: 'Show which keys there are, and which of them seals.',
    load: async () => (await import('./commands/keys/show.ts')).keysShow,
  },
  up: {
    summary: 'Serve every server of the configuration as one, over HTTP, stdio or a unix socket.',
    load: async () => (await import('./commands/up.ts')).up,
  },
  console: {
    summary: 'Open a page that shows what hosts and servers say to each other.',
    load: async () => (await import('./commands/gateway/console.ts')).consoleCommand,
  },
  ps: {
    summary: 'Show how the servers of the running gateway are.',
    load: async () => (await import('./commands/gateway/ps.ts')).ps,
  },
  logs: {
    summary: 'Show what the servers of the running gateway said beside their answers.',
    load: async () => (await import('./commands/gateway/logs.ts')).logs,
  },
  restart: {
    summary: 'End a server of the running gateway, and open it again.',
    load: async () => (await import('./commands/gateway/restart.ts')).restart,
  },
  stop: {
    summary: 'Stop a server of the running gateway, or the gateway.',
    load: async () => (await import('./commands/gateway/stop.ts')).stop,
  },
  bridge: {
    summary: 'Make a server available over another transport, to clients of any revision.',
    load: async () => (await import('./commands/bridge.ts')).bridge,
  },
  record: {
    summary: 'Write down what crosses between a server and its clients.',
    load: async () => (await import('./commands/transcript/record.ts')).record,
  },
  replay: {
    summary: 'Play a recording against a server, and show what differs.',
    load: async () => (await import('./commands/transcript/replay.ts')).replay,
  },
  mock: {
    summary: 'Serve a recording as a server.',
    load: async () => (await import('./commands/transcript/mock.ts')).mock,
  },
  'cocos serve': {
    summary: 'Serve the tools for a Cocos Creator project.',
    load: async () => (await import('./commands/cocos/serve.ts')).cocosServe,
  },
  'cocos validate': {
    summary: 'Find what is wrong with the scenes, prefabs and metas of a Cocos Creator project.',
    load: async () => (await import('./commands/cocos/validate.ts')).cocosValidate,
  },
  'cocos render': {
    summary: 'Draw the UI of a scene or prefab of a Cocos Creator project.',
    load: async () => (await import('./commands/cocos/render.ts')).cocosRender,
  },
  completion: {
    summary: 'Print what a shell needs to complete the words of mcpctl.',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
};
