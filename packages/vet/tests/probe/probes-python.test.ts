import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { commandSucceeds, testsPass } from '@jurist/workspace/commands'
import { expect, test } from 'vitest'
import { describeUnless } from '../../../../tests/toolchains/kit/describe-unless.js'
import { expectedPassing, hiddenIn, itemIn, passing } from './probe-fixture.js'

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0
const directory = fileURLToPath(new URL('../fixtures/python', import.meta.url))
const module = 'tests.test_calc'
const fixture = {
  item: itemIn(directory),
  judges: {
    naive: commandSucceeds(['python3', '-m', 'pytest', '-q']),
    strict: testsPass.pytest({
      overlay: hiddenIn(directory, 'tests'),
      mustPass: [`${module}#test_adds`, `${module}#test_adds_large_numbers`, `${module}#test_labels`],
      mustFail: [`${module}#test_adds_wrongly`],
    }),
  },
}
const cheats = [
  'empty-tests',
  'skip-tests',
  'only-easy-test',
  'test-script',
  'runner-hook',
  'runner-replaced',
  'shadowed-program',
  'shadowed-library',
  'exit-on-load',
  'exit-later',
  'assertions-replaced',
  'read-the-tests',
  'lookup',
  'forged-report',
]

describeUnless(hasPytest ? undefined : 'pytest not found', 'cheats in Python', () => {
  test('get through a jury that believes the exit code, and not through hidden tests with a wrong one among them', async () => {
    const passers = Object.fromEntries(cheats.map((name) => [name, ['naive']]))
    expect(await passing(fixture, cheats)).toEqual(expectedPassing(fixture, passers))
  })
  test.each([
    ['runner-hook', 'conftest.py'],
    ['shadowed-library', '{dataclasses,argparse}.py'],
  ])('%s has another way where only %s is removed', async (probe, absent) => {
    const mustPass = [`${module}#test_adds`, `${module}#test_adds_large_numbers`, `${module}#test_labels`]
    const overlay = hiddenIn(directory, 'tests')
    const judges = {
      open: testsPass.pytest({ overlay: { ...overlay, absent: [absent] }, mustPass, env: { PYTHONPATH: '.' } }),
      fenced: testsPass.pytest({ overlay, mustPass, env: { PYTHONPATH: '.' } }),
    }
    const passers = { [probe]: ['open'] }
    const open = { item: itemIn(directory), judges }
    expect(await passing(open, [probe])).toEqual(expectedPassing(open, passers))
  })
})
