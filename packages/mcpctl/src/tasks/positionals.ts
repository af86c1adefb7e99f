/** What names a task on the command line. */
export const taskPositionals = [
  { name: 'SERVER', help: 'The server that has the task.' },
  { name: 'TASK', help: 'Its id, or the beginning of one that was begun here.' },
] as const;
