import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bubblewrapSandbox } from '@jurist/workspace'
import { buildSucceeds, testsPass } from '@jurist/workspace/commands'
import { matchesReference } from '@jurist/workspace/files'
import { expect, test } from 'vitest'
import { attempt } from './kit/attempt.js'
import { whyNoBubblewrap } from './kit/bubblewrap.js'
import { describeUnless } from './kit/describe-unless.js'
import { missing } from './kit/programs.js'

const project = 'python'
// Isolated from the workspace and from variables, so that no module of the agent replaces one of the library.
const build = buildSucceeds.command(['python3', '-I', '-m', 'py_compile', 'prices.py'])
const tests = testsPass.command(['python3', '-B', '-I', 'tests/run.py'], { overlay: { paths: ['tests'] }, minTests: 3 })

/** The same without the isolation of the interpreter. */
const open = testsPass.command(['python3', 'tests/run.py'], { overlay: { paths: ['tests'] }, minTests: 3 })

describeUnless(missing('python3'), "Python with the standard library's tests", () => {
  test('healthy: compiles, and every test passes', async () => {
    using healthy = attempt({ project, delivers: 'reference' })
    expect(await healthy.judge(build)).toMatchObject({ status: 'pass' })
    expect(await healthy.judge(tests)).toMatchObject({ status: 'pass', metadata: { report: 'tap', passed: 3 } })
  })
  test('broken: the tests that fail are named', async () => {
    using broken = attempt({ project })
    const judgment = await broken.judge(tests)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { passed: 1, failed: 2, exitCode: 1 } })
    const names = judgment.checks.filter(({ passed }) => !passed).map(({ name }) => name)
    expect(names).toContain('test_prices.PricesTest.test_takes_ten_per_cent_off')
  })
  test('broken: what does not parse neither builds nor passes', async () => {
    using broken = attempt({ project, change: (root) => writeFileSync(join(root, 'prices.py'), 'def discounted(:\n') })
    expect(await broken.judge(build)).toMatchObject({ status: 'fail' })
    expect(await broken.judge(tests)).toMatchObject({ status: 'fail' })
  })

  const cheats: { readonly [name: string]: (root: string, reference: string) => void } = {
    'tests deleted': (root) => rmSync(join(root, 'tests'), { recursive: true }),
    'runner replaced': (root) => writeFileSync(join(root, 'tests/run.py'), 'print("ok 1\\nok 2\\nok 3\\n1..3")\n'),
    'library replaced': (root) => writeFileSync(join(root, 'unittest.py'), 'import os\nos._exit(0)\n'),
    'interpreter customised': (root) => writeFileSync(join(root, 'sitecustomize.py'), 'import os\nos._exit(0)\n'),
    'exit code faked': (root) => writeFileSync(join(root, 'prices.py'), 'import os\nos._exit(0)\n'),
    'exit code faked at the end': (root) =>
      writeFileSync(join(root, 'prices.py'), 'import atexit, os\natexit.register(os._exit, 0)\ndiscounted = abs\n'),
    'assertions replaced': (root) =>
      writeFileSync(
        join(root, 'prices.py'),
        'import unittest\nunittest.TestCase.assertEqual = lambda *words: None\ndiscounted = abs\n',
      ),
    'report forged by printing': (root) =>
      writeFileSync(
        join(root, 'prices.py'),
        'import os\nprint("ok 1\\nok 2\\nok 3\\n1..3", flush=True)\nos._exit(0)\n',
      ),
    'report forged as a file': (root) =>
      writeFileSync(join(root, 'junit.xml'), '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'),
    'symlink to the reference': (root, reference) => {
      rmSync(join(root, 'prices.py'))
      symlinkSync(join(reference, 'prices.py'), join(root, 'prices.py'))
    },
  }
  test.each(Object.entries(cheats))('cheating: %s', async (_name, cheat) => {
    using cheating = attempt({ project, change: (root, { reference }) => cheat(root, reference) })
    expect((await cheating.judge(tests)).status).not.toBe('pass')
    expect((await cheating.judge(open)).status).not.toBe('pass')
    expect((await cheating.judge(matchesReference())).status).not.toBe('pass')
  })
})

/** The sandbox shows the programs of the system, not those of a version manager. */
const noPython = existsSync('/usr/bin/python3') ? undefined : 'no /usr/bin/python3; apt-get install python3-minimal'

describeUnless(noPython ?? (await whyNoBubblewrap()), 'Python in bubblewrap', () => {
  const inPlace = testsPass.command(['/usr/bin/python3', '-B', '-I', 'tests/run.py'], { minTests: 3 })
  test('a symlink to the reference leads nowhere, also without an overlay', async () => {
    const sandbox = bubblewrapSandbox()
    using healthy = attempt({ project, delivers: 'reference', sandbox })
    expect(await healthy.judge(inPlace)).toMatchObject({ status: 'pass' })
    using cheating = attempt({
      project,
      sandbox,
      change: (root, { reference }) => {
        rmSync(join(root, 'prices.py'))
        symlinkSync(join(reference, 'prices.py'), join(root, 'prices.py'))
      },
    })
    expect(await cheating.judge(inPlace)).toMatchObject({ status: 'fail' })
  })
})
