import {
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const heartbeatMs = 2_000;
const staleMs = 30_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function pidIn(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

/** Says who holds the lock, or undefined when nobody does or the holder has died. */
function holder(file) {
  try {
    const pid = pidIn(file);
    // The heartbeat tells a living holder from an unrelated process that got its number; one from the future is none.
    const fresh = Math.abs(Date.now() - statSync(file).mtimeMs) < staleMs;
    return pid > 0 && isAlive(pid) && fresh ? pid : undefined;
  } catch {
    return undefined;
  }
}

function tryAcquire(file) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    // A link appears with its content, so nobody ever reads an empty lock.
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Takes a dead holder's lock away. The rename lets only one of several waiters do it. */
function removeStale(file) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (holder(aside) !== undefined) linkSync(aside, file);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(error.code)) throw error;
  } finally {
    rmSync(aside, { force: true, recursive: true });
  }
}

/** Runs `work` while no other process runs its own under the same lock file. */
export async function withLock(file, work) {
  let told = false;
  while (!tryAcquire(file)) {
    const pid = holder(file);
    if (pid === undefined) {
      removeStale(file);
      continue;
    }
    if (!told)
      process.stderr.write(`mcp-kit: waiting for process ${pid}, which is preparing too\n`);
    told = true;
    await sleep(200);
  }
  const isOurs = () => pidIn(file) === process.pid;
  const release = () => {
    if (isOurs()) rmSync(file, { force: true });
  };
  const heartbeat = setInterval(() => {
    const now = new Date();
    if (isOurs()) utimesSync(file, now, now);
  }, heartbeatMs);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off('exit', release);
    release();
  }
}
