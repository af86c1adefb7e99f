/** Closes a test run with one line that a script can read: "Tests: 12 passed, 0 failed, 1 skipped". */
export default class CountReporter {
  onTestRunEnd(modules, errors) {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) count[test.result().state] += 1;
      if (module.state() === 'failed' && tests.every((test) => test.ok())) count.failed += 1;
    }
    // After the summary of the default reporter, which is printed at the same event.
    setImmediate(() =>
      console.log(
        `Tests: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`,
      ),
    );
  }
}
