import { build } from 'rolldown';

/** Bundles a program of the tests with the sources it uses, so that Node can run it in a process of its own. */
export async function bundleProgram(file: string, target: string): Promise<void> {
  await build({
    input: file,
    platform: 'node',
    transform: { target: 'node20.19' },
    resolve: { conditionNames: ['@mcp-kit/source', 'import'], mainFields: ['module', 'main'] },
    // The library finds its validators by the name of a package.
    external: [/^#ajv\//],
    output: { file: target, codeSplitting: false },
    logLevel: 'warn',
  });
}
