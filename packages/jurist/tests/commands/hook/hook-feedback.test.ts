import { fail, jury } from '@jurist/core'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { feedback, reveals } from '../../../src/commands/hook/feedback.js'
import { readEvent } from '../../../src/commands/hook/hook-session.js'

const text = fc.string({ unit: 'binary', maxLength: 600 })
const check = fc.record({ name: text.filter((name) => name.trim() !== ''), passed: fc.constant(false), message: text })

test('what an agent reads has at most 2,000 characters and no control characters but line ends', async () => {
  const judgments = fc.array(fc.record({ reasoning: text, checks: fc.array(check, { maxLength: 40 }) }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(judgments, fc.constantFrom(...reveals), async (given, reveal) => {
      const members = given.map(({ reasoning, checks }, index) => [`j${index}`, () => fail(reasoning, { checks })])
      const said = feedback('done', await jury({ judges: Object.fromEntries(members) }).vote({}), reveal)
      expect(said.length).toBeLessThanOrEqual(2_000)
      expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
      expect(said.startsWith('The jury "done" does not pass yet.')).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test.each([
  [
    '{"session_id":"s","stop_hook_active":true}',
    { client: 'claude', session: 's', isContinued: true, isBroken: false },
  ],
  [
    '{"conversation_id":"c","loop_count":0,"workspace_roots":["/p"]}',
    { client: 'cursor', isContinued: false, cwd: '/p' },
  ],
  [
    '{"conversation_id":"c","loop_count":2,"status":"aborted"}',
    { client: 'cursor', isContinued: true, isBroken: true },
  ],
  ['{"session_id":"s","last_assistant_message":null}', { isContinued: undefined, message: undefined }],
])('the event %s', (given, read) => {
  expect(readEvent(given, undefined)).toMatchObject(read)
})

test.each([
  '',
  '[]',
  '{}',
  '{"session_id":1}',
  '{"session_id":"s","stop_hook_active":"yes"}',
  `{"session_id":"${'x'.repeat(5_000_000)}"}`,
])('is not an event: %.40s', (given) => {
  expect(() => readEvent(given, undefined)).toThrow('Standard input is not the event of a hook')
})
