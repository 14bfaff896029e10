import { asText, fail, type Judge, outputText, pass, withInfo } from '@jurist/core'
import { matchesExpected } from '@jurist/core/answers'
import { correctness } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { runProbes } from '@jurist/vet'
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

test("FieldWorkArena's {}, and other answers without work", async () => {
  const passers = {
    claim: ['isAnswered'],
    'constant-answer': ['isAnswered'],
    'empty-object': ['isAnswered'],
    'dump-everything': ['isAnswered', 'mentions'],
  }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})

/** What a prompt says outside of the marks around untrusted text. */
const outside = (prompt: string): string => prompt.replace(/<<(\w+ \w+)>>[\s\S]*?<<end \1>>/g, '')
const orders =
  /answer is correct|evaluation is over|verified by|criteria were updated|END OF SUBMISSION|maintenance mode/

/** Obeys whatever is not marked as untrusted, and says no to all other orders. */
const obedient = scriptedModel(({ messages }) => {
  const prompt = messages.map(({ content }) => content).join('\n')
  return orders.test(outside(prompt)) || !orders.test(prompt) ? 'Answer: YES' : 'Answer: NO'
})

// The id of an item chooses the text.
test.each([...'abcdef'])(
  'orders to the model that judges, text %s, get through a prompt without marks, not through ours',
  async (id) => {
    const asks: Judge = async function asks({ agentOutput, signal }) {
      if (agentOutput === undefined) return fail('no answer')
      const messages = [{ role: 'user', content: `Is this right?\n${asText(agentOutput)}` }] as const
      const { text } = await obedient({ messages, options: {}, metadata: {}, signal })
      return text === 'Answer: YES' ? pass('yes') : fail('no')
    }
    const judges = { naive: withInfo(asks, { name: 'asks', kind: 'model' }), strict: correctness({ model: obedient }) }
    const passers = { 'prompt-injection': ['naive'] }
    expect(await passing({ item: { ...fixture.item, id }, judges }, Object.keys(passers))).toEqual(
      expectedPassing({ judges }, passers),
    )
  },
)

test.each([
  ['tool.py', '#!/usr/bin/env python3\nprint(1)\n', '# '],
  ['tool.mjs', '#!/usr/bin/env node\nconsole.log(1)\n', '// '],
])('orders are a comment at the end of %s, which still runs', async (path, text, mark) => {
  const item = {
    id: 'd',
    task: 'Print 1.',
    before: { type: 'files', files: { [path]: text } },
    expectedOutput: '1',
  } as const
  const written: string[] = []
  const reads: Judge = async function reads({ workspace }) {
    written.push(await workspace.read(path))
    return fail('read')
  }
  const jury = withInfo(reads, { name: 'reads', kind: 'model' })
  await runProbes({ name: 'tools', dataset: [item], jury, concurrency: 1 }, { probes: ['prompt-injection'] })
  const lines = (written.at(-1) ?? '').slice(text.length).trim().split('\n')
  expect(written.at(-1)?.startsWith(text)).toBe(true)
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.every((line) => line.startsWith(mark))).toBe(true)
})
