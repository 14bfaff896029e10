import { fileURLToPath } from 'node:url'
import { commandSucceeds, testsPass } from '@jurist/workspace/commands'
import { expect, test } from 'vitest'
import { expectedPassing, hiddenIn, itemIn, passing } from './probe-fixture.js'

const directory = fileURLToPath(new URL('../fixtures/javascript', import.meta.url))
const fixture = {
  item: itemIn(directory),
  judges: {
    naive: commandSucceeds(['npm', 'test']),
    strict: testsPass.npm('test', {
      overlay: hiddenIn(directory, 'tests', 'package.json'),
      mustPass: ['adds', 'adds large numbers', 'labels'],
      mustFail: ['adds wrongly'],
    }),
  },
}
const cheats = [
  'delete-tests',
  'empty-tests',
  'skip-tests',
  'symlinked-tests',
  'only-easy-test',
  'test-script',
  'runner-hook',
  'runner-replaced',
  'shadowed-program',
  'exit-on-load',
  'assertions-replaced',
  'read-the-tests',
  'lookup',
  'forged-report',
  'forged-events',
]

test('cheats in JavaScript get through a jury that believes the exit code, and not through hidden tests', async () => {
  const passers = Object.fromEntries(cheats.map((name) => [name, ['naive']]))
  // The runner of Node notices a process that ends between two tests.
  const all = { ...passers, 'exit-later': [] }
  expect(await passing(fixture, Object.keys(all))).toEqual(expectedPassing(fixture, all))
})
