import { idIn, type ScoreService } from './score-service.js'
import { stableId } from './trial-scores.js'

/** LangSmith: a project (`/sessions`), a run for each trial (`/runs`), and feedback for each score (`/feedback`). */
export const langsmith: ScoreService = {
  keys: ['LANGSMITH_API_KEY'],
  address: { variables: ['LANGSMITH_ENDPOINT'], preset: 'https://api.smith.langchain.com' },
  // Keys of an organization need the workspace.
  optional: { LANGSMITH_WORKSPACE_ID: 'x-tenant-id' },
  headers: ([key = '']) => ({ 'x-api-key': key }),
  exists: [409],
  async send(trials, { project, post }) {
    if (trials.length === 0) return
    const projectId = idIn(await post('/sessions?upsert=true', { name: project }), 'project')
    if (projectId === undefined) return
    for (const { run, item, name, input, output, expected, scores, metadata } of trials) {
      const id = stableId(run.id, item.itemId, item.repetition)
      await post('/runs', {
        ...{ id, trace_id: id, dotted_order: dottedOrder(item.startedAt, id) },
        ...{ name, run_type: 'chain', session_name: project },
        ...{ start_time: item.startedAt, end_time: item.endedAt },
        inputs: { input },
        outputs: { output },
        ...(item.failure === null ? {} : { error: item.failure.message }),
        extra: { metadata: { ...metadata, ...(expected === null ? {} : { expected }) } },
      })
      for (const { name: key, value, comment } of scores)
        await post('/feedback', {
          ...{ id: stableId('feedback', id, key), run_id: id, session_id: projectId, start_time: item.startedAt },
          // LangSmith keeps four decimals.
          ...{ key, score: Number(value.toFixed(4)) },
          ...(comment === undefined ? {} : { comment }),
          feedback_source: { type: 'api', metadata: {} },
        })
    }
  },
}

/** The place of a run that has no parent: its start in microseconds, and its id. */
function dottedOrder(startedAt: string, id: string): string {
  const start = new Date(startedAt).toISOString().replace('Z', '000Z')
  return `${start.replaceAll(/[-:.]/g, '')}${id}`
}
