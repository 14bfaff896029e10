import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { batches, type Delivery, type ScoreService } from './score-service.js'
import { stableId, type TrialScores } from './trial-scores.js'

/** Langfuse: a trace for each trial (`/api/public/ingestion`), and its scores (`/api/public/scores`). */
export const langfuse: ScoreService = {
  keys: ['LANGFUSE_PUBLIC_KEY', 'LANGFUSE_SECRET_KEY'],
  address: { variables: ['LANGFUSE_BASE_URL', 'LANGFUSE_HOST'], preset: 'https://cloud.langfuse.com' },
  headers: (keys) => ({ authorization: `Basic ${Buffer.from(keys.join(':')).toString('base64')}` }),
  async send(trials, { post, refused }) {
    const own = trials.filter(({ traceId }) => traceId === undefined)
    for (const batch of batches(own.map(traceEvent)))
      reportErrors(await post('/api/public/ingestion', { batch }), refused)
    for (const trial of trials)
      for (const { name, value, comment } of trial.scores)
        await post('/api/public/scores', {
          id: stableId('score', trial.run.id, trial.item.itemId, trial.item.repetition, name),
          ...{ traceId: traceIdOf(trial), name, value, dataType: name === 'passed' ? 'BOOLEAN' : 'NUMERIC' },
          ...(comment === undefined ? {} : { comment }),
        })
  },
}

function traceIdOf({ run, item, traceId }: TrialScores): string {
  return traceId ?? stableId(run.id, item.itemId, item.repetition)
}

function traceEvent(trial: TrialScores): Json {
  const { item, name, input, output, metadata } = trial
  const body = { id: traceIdOf(trial), timestamp: item.startedAt, name, input, output, metadata }
  return { id: stableId('trace', traceIdOf(trial)), type: 'trace-create', timestamp: item.startedAt, body }
}

/** The ingestion answers 207 with an error for each event that it did not take. */
function reportErrors(answer: Json, refused: Delivery['refused']): void {
  const errors = isPlainObject(answer) ? answer['errors'] : undefined
  if (!Array.isArray(errors)) return
  for (const error of errors) refused(`a trace: ${JSON.stringify(error).slice(0, 500)}`)
}
