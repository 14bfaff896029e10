import { agentJudge, type JudgeModel } from '@jurist/core/llm'
import { aContext, judgeContract, memoryWorkspace } from '@jurist/core/testing'
import { describe, test } from 'vitest'
import { everyModelJudge } from './every-judge.js'

const harness = { describe, test }
const working = (word: string) =>
  aContext({
    turns: [
      { role: 'user', text: 'Greet.' },
      { role: 'agent', text: `It is ${word}.` },
    ],
    agentOutput: `It is ${word}.`,
    expectedOutput: 'It is well done.',
    toolSteps: [{ name: 'look', input: {}, output: word, status: 'completed', turn: 0 }],
    referenceData: ['It is well done.'],
    workspace: memoryWorkspace({ 'a.txt': word }),
    before: memoryWorkspace({ 'a.txt': '' }),
    metadata: { 'rag.context': word },
  })
const contexts = { passing: working('GOOD'), failing: working('BAD') }

/** Those whose calls all get the same answer, so that a model can tell from the data alone. */
const uniform = everyModelJudge.filter(({ passing }) => new Set(passing).size === 1)
for (const { name, make, passing, failing } of uniform) {
  const model: JudgeModel = async ({ messages }) => {
    const good = messages.some(({ content }) => content.includes('GOOD'))
    return { text: (good ? passing : failing).at(-1) ?? '' }
  }
  judgeContract(harness, name, { judge: make({ model }), ...contexts })
}

judgeContract(harness, 'agentJudge', {
  judge: agentJudge({
    criteria: 'It is good.',
    agent: async ({ workspace }) => ({
      status: 'completed',
      output: { type: 'text', text: `PASS: ${(await workspace.read('a.txt')) === 'GOOD'}` },
    }),
  }),
  ...contexts,
})
