import { judged, pipelineAgent } from '@jurist/experiment'
import { emptyDirectory } from '@jurist/workspace'
import { rules } from './rules.js'
import { writingAgent } from './writing-agent.js'

/** Analyse, plan, execute: the plan names what the task leaves out, so that the first attempt passes. */
const planned = pipelineAgent({
  analyze: async ({ prompt }) => ({
    summary: `The task is ${prompt.length} characters long.`,
    data: {},
    costUsd: 0.001,
  }),
  plan: async () => ({
    roadmap: 'Write RELEASE.md with a heading, then list the changes.',
    recommendedTools: ['write'],
    knowledgeRead: [],
    costUsd: 0.002,
  }),
  execute: writingAgent,
})

/** A pipeline is an agent like any other: here it is judged. */
export async function plannedAndJudged(): Promise<string> {
  await using workspace = await emptyDirectory()
  const { passed, phases, costUsd, metadata } = await judged(
    planned,
    rules,
  )({
    prompt: 'Write a release note for 2.0.',
    workspace,
  })
  const first = phases?.[0]?.name
  return `pipelineAgent: passed ${passed}, first phase ${first}, $${costUsd?.toFixed(3)} of which planning $${metadata?.['pipeline.planningCostUsd']}`
}
