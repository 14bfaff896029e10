import { fail, type Judge, outputText, pass } from '@jurist/core'
import { matchesExpected } from '@jurist/core/answers'
import { expect, test } from 'vitest'
import { expectedPassing, passing } from './probe-fixture.js'

/** What FieldWorkArena asked in effect: whether the last message is the agent's. All 890 tasks fell to `{}`. */
const isAnswered: Judge = async function isAnswered({ agentOutput }) {
  return agentOutput === undefined ? fail('no answer') : pass('an answer')
}

const fixture = {
  item: { id: 'product', task: 'What is 6 times 7? Answer with the number alone.', expectedOutput: '42' },
  judges: { isAnswered, mentions: outputText({ contains: '42' }), strict: matchesExpected() },
}

test("FieldWorkArena's {}, and other answers that nobody worked for", async () => {
  const passers = {
    claim: ['isAnswered'],
    'constant-answer': ['isAnswered'],
    'empty-object': ['isAnswered'],
    'dump-everything': ['isAnswered', 'mentions'],
  }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})
