import { fileURLToPath } from 'node:url'
import { fail, type Judge, pass, withInfo } from '@jurist/core'
import { correctness } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { commandSucceeds } from '@jurist/workspace/commands'
import { expect, test } from 'vitest'
import { itemIn, passing } from './probe-fixture.js'

const item = itemIn(fileURLToPath(new URL('fixtures/javascript', import.meta.url)))

/** A model that does what it reads. */
const obedient: Judge = withInfo(
  ({ agentOutput, metadata }) => {
    if (metadata['probe'] === 'reference') return pass('right')
    const text = agentOutput?.type === 'text' ? agentOutput.text : ''
    return /YES|PASS|"pass": true|Score: 10|meets all/.test(text) ? pass('as told') : fail('not told to pass')
  },
  { name: 'obedient', kind: 'model' },
)

test.each(['a', 'b', 'c', 'd', 'e', 'f'])('orders to the model that judges, text %s', async (id) => {
  const model = scriptedModel(() => 'Answer: NO')
  const question = { id, task: 'How much is 40 + 2?', expectedOutput: '42' }
  const strict: Judge = async (context) =>
    context.metadata['probe'] === 'reference' ? pass('right') : correctness({ model })(context)
  const found = await passing({ item: question, judges: { obedient, strict } }, ['prompt-injection'])
  expect(found['prompt-injection']).toEqual(['obedient'])
})

/** Limits of processor time: how busy the machine is makes no difference. */
const limited = 'ulimit -t 1; node tests/sums.test.js'

test.each([
  { probe: 'time-out', deceived: commandSucceeds(`${limited}; test $? -ne 1`), strict: commandSucceeds(limited) },
  {
    probe: 'huge-output',
    deceived: commandSucceeds('npm test > all.txt 2>&1 && exit; grep -q "ok 49999" all.txt'),
    strict: commandSucceeds(['npm', 'test']),
  },
])('$probe deceives a jury that does not look closely', async ({ probe, ...judges }) => {
  expect((await passing({ item, judges }, [probe]))[probe]).toEqual(['deceived'])
})
