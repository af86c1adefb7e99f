import { exitCodeOf, exitCodes } from './exit-code.ts';
import { flush, reportFailure, watchOutput } from './output.ts';
import { failureOptionsOf, run } from './run.ts';

async function main(argv: readonly string[]): Promise<void> {
  const options = failureOptionsOf(argv);
  const end = async (code: number): Promise<void> => {
    const lost = await flush();
    if (lost !== undefined) reportFailure(lost, options);
    // Whatever still runs, a tool's timer or a socket, has had its time.
    process.exit(lost === undefined || code !== exitCodes.ok ? code : exitCodeOf(lost));
  };
  watchOutput();
  process.on('uncaughtException', (error) => {
    reportFailure(error, options);
    void end(exitCodeOf(error));
  });
  await end(await run(argv));
}

void main(process.argv.slice(2));
