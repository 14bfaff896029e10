import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { testsPass } from '@jurist/workspace/commands'
import { expect, test } from 'vitest'
import { describeUnless } from '../../../../tests/toolchains/kit/describe-unless.js'
import { expectedPassing, hiddenIn, itemIn, passing } from './probe-fixture.js'

const at = (project: string): string => fileURLToPath(new URL(`../fixtures/${project}`, import.meta.url))

// Benchmarks that fell in 2025 and 2026: a jury that judges as theirs did, and ours with the same tests.

describeUnless(
  spawnSync('python3', ['-m', 'pytest', '--version']).status === 0 ? undefined : 'pytest not found',
  'SWE-bench Verified, 500 of 500',
  () => {
    test('ten lines of conftest.py beside the tests that are laid over', async () => {
      const overlay = hiddenIn(at('python'), 'tests')
      // FAIL_TO_PASS, by the names in the log.
      const mustPass = ['test_adds', 'test_adds_large_numbers', 'test_labels'].map((name) => `tests.test_calc#${name}`)
      const fixture = {
        item: itemIn(at('python')),
        judges: {
          theirs: testsPass.pytest({ overlay: { ...overlay, absent: [] }, mustPass }),
          ours: testsPass.pytest({ overlay, mustPass }),
        },
      }
      const passers = { 'runner-hook': ['theirs'] }
      expect(await passing(fixture, ['runner-hook'])).toEqual(expectedPassing(fixture, passers))
    })
  },
)

test('SWE-Lancer, 100 %: the tests overwritten where the agent finds them', async () => {
  const fixture = {
    item: itemIn(at('javascript')),
    judges: {
      theirs: testsPass.npm('test', { mustPass: ['adds', 'labels'] }),
      // The last of the hidden tests is wrong on purpose.
      ours: testsPass.npm('test', {
        overlay: hiddenIn(at('javascript'), 'tests', 'package.json'),
        mustPass: ['adds', 'adds large numbers', 'labels'],
      }),
    },
  }
  expect(await passing(fixture, ['empty-tests'])).toEqual(expectedPassing(fixture, { 'empty-tests': ['theirs'] }))
})
