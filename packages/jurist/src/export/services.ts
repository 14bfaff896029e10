import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '../config/problems.js'
import type { PostJson, Service } from './post-json.js'
import { stableId, type TrialScores } from './trial-scores.js'

/** A service that scores are sent to. */
interface ScoreService {
  /** The variables that must be set. */
  readonly keys: readonly string[]
  /** The variable with the address of the service, and its default. */
  readonly address: readonly [variable: string, preset: string]
  /** The headers of each request. */
  readonly headers: (keys: readonly string[]) => Service['headers']
  readonly exists?: readonly number[]
  /** Sends the scores of some trials of one run. Each object has an id of its own, so that sending twice changes nothing. */
  readonly send: (trials: readonly TrialScores[], project: string, post: PostJson) => Promise<void>
}

/** The services, by the name that `--to` has. */
export const scoreServices = {
  langfuse: {
    keys: ['LANGFUSE_PUBLIC_KEY', 'LANGFUSE_SECRET_KEY'],
    address: ['LANGFUSE_HOST', 'https://cloud.langfuse.com'],
    headers: (keys) => ({ authorization: `Basic ${Buffer.from(keys.join(':')).toString('base64')}` }),
    send: sendToLangfuse,
  },
  langsmith: {
    keys: ['LANGSMITH_API_KEY'],
    address: ['LANGSMITH_ENDPOINT', 'https://api.smith.langchain.com'],
    headers: ([key = '']) => ({ 'x-api-key': key }),
    exists: [409],
    send: sendToLangsmith,
  },
  braintrust: {
    keys: ['BRAINTRUST_API_KEY'],
    address: ['BRAINTRUST_API_URL', 'https://api.braintrust.dev'],
    headers: ([key = '']) => ({ authorization: `Bearer ${key}` }),
    send: sendToBraintrust,
  },
} as const satisfies { readonly [name: string]: ScoreService }

/** The name of a service. */
export type ScoreServiceName = keyof typeof scoreServices

/**
 * The address, headers and secrets of a service, from the environment.
 *
 * @throws `usage-invalid` naming every variable that is missing
 */
export function serviceOf(
  name: ScoreServiceName,
  environment: { readonly [variable: string]: string | undefined },
  signal: AbortSignal,
): Service {
  const { keys, address, headers, exists }: ScoreService = scoreServices[name]
  const missing = keys.filter((key) => (environment[key] ?? '') === '')
  if (missing.length > 0)
    throw usageInvalid(
      '--to',
      `--to ${name} needs ${missing.join(' and ')} in the environment. --dry-run needs nothing.`,
    )
  const values = keys.map((key) => environment[key] ?? '')
  const [variable, preset] = address
  const given = environment[variable] || preset
  const base = URL.canParse(given) ? new URL(given) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol))
    throw usageInvalid('--to', `${variable} must be an address such as ${preset}.`)
  const made = headers(values)
  const secrets = [...values, ...Object.values(made)]
  return { name, base, headers: made, secrets, ...(exists === undefined ? {} : { exists }), signal }
}

/** How many objects one request carries, and how many bytes. Langfuse takes 3.5 MB. */
const most = { objects: 50, bytes: 3_000_000 }

/** Objects in parts that one request takes. An object that is larger than the limit is a part of its own. */
function* batches(objects: readonly Json[]): Generator<readonly Json[], void> {
  let [part, bytes]: [Json[], number] = [[], 0]
  for (const object of objects) {
    const size = Buffer.byteLength(JSON.stringify(object))
    if (part.length > 0 && (part.length === most.objects || bytes + size > most.bytes)) {
      yield part
      ;[part, bytes] = [[], 0]
    }
    part.push(object)
    bytes += size
  }
  if (part.length > 0) yield part
}

/** A trace for each trial (`/api/public/ingestion`), and its scores (`/api/public/scores`). */
async function sendToLangfuse(trials: readonly TrialScores[], _: string, post: PostJson): Promise<void> {
  const idOf = ({ run, item, traceId }: TrialScores) => traceId ?? stableId(run.id, item.itemId, item.repetition)
  const own = trials.filter(({ traceId }) => traceId === undefined)
  const events = own.map((trial) => {
    const { item, name, input, output, metadata } = trial
    const body = { id: idOf(trial), timestamp: item.startedAt, name, input, output, metadata }
    return { id: stableId('trace', idOf(trial)), type: 'trace-create', timestamp: item.startedAt, body }
  })
  for (const batch of batches(events)) refuseErrors(await post('/api/public/ingestion', { batch }))
  for (const trial of trials)
    for (const { name, value, comment } of trial.scores) {
      const id = stableId('score', trial.run.id, trial.item.itemId, trial.item.repetition, name)
      const dataType = name === 'passed' ? 'BOOLEAN' : 'NUMERIC'
      await post('/api/public/scores', {
        ...{ id, traceId: idOf(trial), name, value, dataType },
        ...(comment === undefined ? {} : { comment }),
      })
    }
}

/** The ingestion answers 207 with what it did not take. */
function refuseErrors(answer: Json): void {
  const errors = isPlainObject(answer) ? answer['errors'] : undefined
  if (Array.isArray(errors) && errors.length > 0)
    throw usageInvalid(
      '--to',
      `langfuse did not take ${errors.length} traces: ${JSON.stringify(errors[0]).slice(0, 500)}`,
    )
}

/** A run for each trial (`/runs`), and feedback for each score (`/feedback`). */
async function sendToLangsmith(trials: readonly TrialScores[], project: string, post: PostJson): Promise<void> {
  for (const { run, item, name, input, output, expected, scores, metadata } of trials) {
    const id = stableId(run.id, item.itemId, item.repetition)
    await post('/runs', {
      ...{ id, name, run_type: 'chain', session_name: project },
      ...{ start_time: item.startedAt, end_time: item.endedAt },
      inputs: { input },
      outputs: { output },
      ...(item.failure === null ? {} : { error: item.failure.message }),
      extra: { metadata: { ...metadata, ...(expected === null ? {} : { expected }) } },
    })
    for (const { name: key, value: score, comment } of scores)
      await post('/feedback', {
        ...{ id: stableId('feedback', id, key), run_id: id, key, score },
        ...(comment === undefined ? {} : { comment }),
        feedback_source: { type: 'api' },
      })
  }
}

/** An experiment for the run, and an event for each trial. Names and ids that are there are used again. */
async function sendToBraintrust(trials: readonly TrialScores[], project: string, post: PostJson): Promise<void> {
  const [first] = trials
  if (first === undefined) return
  const { run } = first
  const projectId = idIn(await post('/v1/project', { name: project }), 'project')
  const name = `${run.experimentName} ${run.id}`
  const experiment = await post('/v1/experiment', { project_id: projectId, name, ensure_new: false })
  const experimentId = idIn(experiment, 'experiment')
  for (const events of batches(trials.map(braintrustEvent)))
    await post(`/v1/experiment/${encodeURIComponent(experimentId)}/insert`, { events })
}

function braintrustEvent({ run, item, input, output, expected, scores, metadata }: TrialScores): JsonObject {
  // Braintrust takes scores from 0 to 1 only.
  const fitting = scores.filter(({ value }) => value >= 0 && value <= 1)
  const others = scores.filter((score) => !fitting.includes(score))
  const reasons = scores.flatMap(({ name, comment }) => (comment === undefined ? [] : [[`${name} reason`, comment]]))
  const { usage, costUsd, durationMs } = item
  return {
    ...{ id: stableId(run.id, item.itemId, item.repetition), input, output, expected },
    scores: Object.fromEntries(fitting.map((score) => [score.name, score.value])),
    metadata: {
      ...metadata,
      ...Object.fromEntries(reasons),
      ...Object.fromEntries(others.map((score) => [score.name, score.value])),
    },
    metrics: {
      ...{ start: Date.parse(item.startedAt) / 1000, end: (Date.parse(item.startedAt) + durationMs) / 1000 },
      ...(usage?.inputTokens === undefined ? {} : { prompt_tokens: usage.inputTokens }),
      ...(usage?.outputTokens === undefined ? {} : { completion_tokens: usage.outputTokens }),
      ...(costUsd === null ? {} : { estimated_cost: costUsd }),
    },
    tags: [...item.tags],
    created: item.startedAt,
  }
}

function idIn(answer: Json, what: string): string {
  const id = isPlainObject(answer) ? answer['id'] : undefined
  if (typeof id === 'string') return id
  throw usageInvalid('--to', `braintrust gave no id of the ${what}.`)
}
