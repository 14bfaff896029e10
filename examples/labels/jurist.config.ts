import { fileURLToPath } from 'node:url'
import { type Agent, completed, defineConfig, jury, trialOf } from 'jurist'
import { certificateIn, certifiedCascade } from 'jurist/certify'
import { humanQueue } from 'jurist/label'
import { correctness, type JudgeModel } from 'jurist/llm'
import { parcels } from './parcels.js'
import { large, small } from './stand-in-models.js'

/** STANDS FOR AN AGENT that answers questions about parcels. */
const clerk: Agent = async (task) => {
  const { itemId } = trialOf(task) ?? {}
  const answer = parcels.find(({ item }) => item.id === itemId)?.answer ?? ''
  return completed({ output: answer, costUsd: 0 })
}

// The probability of the answer among YES and NO is the confidence of a judge.
const judgedBy = (model: JudgeModel) => correctness({ model, options: { topLogprobs: 5 } })
const tiers = [
  { name: 'small', candidate: judgedBy(small) },
  { name: 'large', candidate: judgedBy(large) },
]

const certificate = certificateIn(fileURLToPath(new URL('certificates/parcels.json', import.meta.url)))
const people = humanQueue('queue.jsonl')
const dataset = parcels.map(({ item }) => item)

export default defineConfig({
  experiments: {
    // The expensive model judges every answer.
    always: { dataset, agent: clerk, jury: jury({ judges: { large: judgedBy(large) } }) },
    // The cheap model decides what it is sure of, then the expensive one; people get the rest.
    certified: {
      dataset,
      agent: clerk,
      jury: certifiedCascade(tiers, certificate, { name: 'people', jury: people, policy: 'final' }),
      // People judge after the run.
      allowAbstain: ['people'],
    },
  },
  calibrations: { parcels: { tiers, labels: { by: 'people' } } },
})
