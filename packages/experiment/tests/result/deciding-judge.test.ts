import { cascade, consensus, error, fail, type Judge, jury, pass } from '@jurist/core'
import { decidingJudge, decidingReason } from '@jurist/experiment/internal/results'
import { expect, test } from 'vitest'

const says =
  (judgment: ReturnType<Judge>): Judge =>
  () =>
    judgment
const context = { agentOutput: 'done' }

test('the judge that decided is in the tier that decided, not in one that let the trial pass', async () => {
  const place = { path: 'src/a.js', line: 7 }
  const verdict = await cascade([
    {
      name: 'hints',
      policy: 'accept-on-all-pass',
      jury: jury({ judges: { style: says(fail('untidy')) }, vote: consensus() }),
    },
    {
      name: 'tests',
      policy: 'final',
      jury: jury({
        judges: {
          loads: says(pass('it loads')),
          unit: says(
            fail('1 of 2 failed', { checks: [{ name: 'sums', passed: false, message: '1 !== 2', location: place }] }),
          ),
        },
        vote: consensus(),
      }),
    },
  ]).vote(context)
  expect(decidingJudge(verdict)).toMatchObject({ path: '/tests/unit', check: { name: 'sums', location: place } })
  expect(decidingReason(verdict)).toBe('tests/unit: 1 of 2 failed (sums: 1 !== 2) at src/a.js:7')
})

test('a judge that broke decides a verdict that is an error; no single judge decides a pass', async () => {
  const broken = await jury({
    judges: { unit: says(pass('fine')), model: says(error('the model did not answer')) },
    vote: consensus(),
  }).vote(context)
  expect(decidingJudge(broken)).toMatchObject({ path: '/model', judgment: { status: 'error' }, check: null })
  const passed = await jury({ judges: { unit: says(pass('fine')) } }).vote(context)
  expect(decidingJudge(passed)).toBeNull()
})
