// Runs the conformance cases of votes and cascades, and a judge that asks a model, in the runtime that starts it. It prints one
// JSON document without times, which is the same in every runtime.
import { cascade, runJudge } from '@jurist/core'
import { answerLine, modelJudge, promptTemplate } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { ballotsOf, casesOf, tiersOf, voteOf } from '../../packages/core/tests/vectors.js'

async function outcomeOf(judged: () => unknown): Promise<unknown> {
  try {
    return await judged()
  } catch (error) {
    return { code: (error as { readonly code?: string }).code, message: (error as Error).message }
  }
}

const outcomes: unknown[] = []
for (const { id, vote, ballots } of casesOf('votes')) {
  const given = ballotsOf(ballots as Parameters<typeof ballotsOf>[0])
  outcomes.push([id, await outcomeOf(() => voteOf(vote as Parameters<typeof voteOf>[0])(given))])
}
for (const { id, tiers } of casesOf('cascades')) {
  const judged = () => cascade(tiersOf(tiers as Parameters<typeof tiersOf>[0])).vote({})
  outcomes.push([id, await outcomeOf(judged)])
}

const polite = modelJudge({
  name: 'polite',
  prompt: promptTemplate('polite', 'Is this polite?\n\n{{output}}\n\nEnd with "Answer: YES" or "Answer: NO".', {
    fenced: ['output'],
  }),
  model: scriptedModel('It thanks.\nAnswer: YES'),
  classify: answerLine(),
})
const { status, metadata } = await runJudge(polite, { agentOutput: { type: 'text', text: 'Thank you.' } })
outcomes.push(['polite', { status, label: metadata['label'] }])

console.log(JSON.stringify(outcomes, (key, value) => (key === 'elapsedMs' ? undefined : value)))
