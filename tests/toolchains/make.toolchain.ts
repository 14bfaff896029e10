import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSucceeds, testsPass } from '@jurist/workspace/commands'
import { matchesReference } from '@jurist/workspace/files'
import { expect, test } from 'vitest'
import { attempt } from './kit/attempt.js'
import { describeUnless } from './kit/describe-unless.js'
import { missing } from './kit/programs.js'

const project = 'make'
/** The makefile is named: GNU make would prefer a `GNUmakefile` that the agent adds. */
const build = buildSucceeds.make('--file', 'Makefile', 'clean', 'all')
const tests = testsPass.command(['make', '--file', 'Makefile', 'clean', 'test'], {
  overlay: { paths: ['Makefile', 'tests'] },
  minTests: 3,
})

/** The same without a name for the makefile. */
const unnamed = testsPass.command(['make', 'clean', 'test'], { overlay: { paths: ['Makefile', 'tests'] }, minTests: 3 })

describeUnless(missing('make', 'cc'), 'make with a C compiler', () => {
  test('healthy: builds, and every test passes', async () => {
    using healthy = attempt({ project, delivers: 'reference' })
    expect(await healthy.judge(build)).toMatchObject({ status: 'pass' })
    expect(await healthy.judge(buildSucceeds.detect())).toMatchObject({
      status: 'pass',
      metadata: { detected: 'Makefile' },
    })
    expect(await healthy.judge(tests)).toMatchObject({ status: 'pass', metadata: { report: 'tap', passed: 3 } })
  })
  test('broken: builds, and the tests that fail are named', async () => {
    using broken = attempt({ project })
    expect(await broken.judge(build)).toMatchObject({ status: 'pass' })
    const judgment = await broken.judge(tests)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { passed: 1, failed: 2 } })
    const names = judgment.checks.filter(({ passed }) => !passed).map(({ name }) => name)
    expect(names).toEqual(['command_execution', 'takes ten per cent off', 'refuses negative prices'])
  })
  test('broken: what does not compile does not build', async () => {
    using broken = attempt({ project, change: (root) => writeFileSync(join(root, 'prices.c'), 'int main(void) {\n') })
    expect(await broken.judge(build)).toMatchObject({ status: 'fail', metadata: { exitCode: 2 } })
    expect(await broken.judge(tests)).toMatchObject({ status: 'fail' })
  })

  const cheats: { readonly [name: string]: (root: string, reference: string) => void } = {
    'tests deleted': (root) => rmSync(join(root, 'tests'), { recursive: true }),
    'tests emptied': (root) => writeFileSync(join(root, 'tests/run.sh'), 'echo 1..0\n'),
    'exit code faked': (root) => writeFileSync(join(root, 'Makefile'), 'all test clean:\n\t@true\n'),
    'another makefile added': (root) => writeFileSync(join(root, 'GNUmakefile'), 'all test clean:\n\t@echo "ok 1"\n'),
    'report forged by the makefile': (root) =>
      writeFileSync(join(root, 'Makefile'), 'all test clean:\n\t@echo "ok 1"; echo "ok 2"; echo "ok 3"; echo 1..3\n'),
    'report forged by the program': (root) =>
      writeFileSync(
        join(root, 'prices.c'),
        '#include <stdio.h>\nint main(void) {\n  printf("ok 1\\nok 2\\nok 3\\n1..3\\n");\n  return 0;\n}\n',
      ),
    'report forged as a file': (root) =>
      writeFileSync(join(root, 'junit.xml'), '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'),
    'symlink to the reference': (root, reference) => {
      rmSync(join(root, 'prices.c'))
      symlinkSync(join(reference, 'prices.c'), join(root, 'prices.c'))
    },
  }
  test.each(Object.entries(cheats))('cheating: %s', async (_name, cheat) => {
    using cheating = attempt({ project, change: (root, { reference }) => cheat(root, reference) })
    expect((await cheating.judge(tests)).status).not.toBe('pass')
    expect((await cheating.judge(unnamed)).status).not.toBe('pass')
    expect((await cheating.judge(matchesReference())).status).not.toBe('pass')
  })
})
