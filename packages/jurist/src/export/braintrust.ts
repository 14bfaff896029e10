import type { JsonObject } from '@jurist/core'
import { batches, idIn, type ScoreService } from './score-service.js'
import { stableId, type TrialScores } from './trial-scores.js'

/** Braintrust: an experiment for the run, and an event for each trial. Names and ids that are there are used again. */
export const braintrust: ScoreService = {
  keys: ['BRAINTRUST_API_KEY'],
  address: { variables: ['BRAINTRUST_API_URL'], preset: 'https://api.braintrust.dev' },
  headers: ([key = '']) => ({ authorization: `Bearer ${key}` }),
  async send(trials, { project, post }) {
    const [first] = trials
    if (first === undefined) return
    const { run } = first
    const projectId = idIn(await post('/v1/project', { name: project }), 'project')
    if (projectId === undefined) return
    const name = `${run.experimentName} ${run.id}`
    const experiment = await post('/v1/experiment', { project_id: projectId, name, ensure_new: false })
    const experimentId = idIn(experiment, 'experiment')
    if (experimentId === undefined) return
    for (const events of batches(trials.map(eventOf)))
      await post(`/v1/experiment/${encodeURIComponent(experimentId)}/insert`, { events })
  },
}

function eventOf({ run, item, input, output, expected, scores, metadata }: TrialScores): JsonObject {
  // Braintrust takes scores from 0 to 1 only.
  const fitting = scores.filter(({ value }) => value >= 0 && value <= 1)
  const others = scores.filter((score) => !fitting.includes(score))
  const reasons = scores.flatMap(({ name, comment }) => (comment === undefined ? [] : [[`${name} reason`, comment]]))
  return {
    ...{ id: stableId(run.id, item.itemId, item.repetition), input, output, expected },
    ...(item.failure === null ? {} : { error: item.failure.message }),
    scores: Object.fromEntries(fitting.map((score) => [score.name, score.value])),
    metadata: {
      ...metadata,
      ...Object.fromEntries(reasons),
      ...Object.fromEntries(others.map((score) => [score.name, score.value])),
    },
    metrics: metricsOf(item),
    tags: [...new Set(item.tags)],
    created: item.startedAt,
  }
}

function metricsOf({ startedAt, durationMs, usage, costUsd }: TrialScores['item']): JsonObject {
  const start = Date.parse(startedAt) / 1000
  return {
    ...{ start, end: start + durationMs / 1000 },
    ...(usage?.inputTokens === undefined ? {} : { prompt_tokens: usage.inputTokens }),
    ...(usage?.outputTokens === undefined ? {} : { completion_tokens: usage.outputTokens }),
    ...(costUsd === null ? {} : { estimated_cost: costUsd }),
  }
}
