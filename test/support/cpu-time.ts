/** What work costs this process in milliseconds of CPU: what else runs on the machine does not count. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return since(before);
}

/** The same, of work that waits. */
export async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return since(before);
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
