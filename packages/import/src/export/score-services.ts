import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { notTaken, type PostJson, type Service } from './post-json.js'
import { stableId, type TrialScores } from './trial-scores.js'

interface Delivery {
  /** Default: the name of the experiment. */
  readonly project: string
  readonly post: PostJson
  /** Reports what the service did not accept. The rest is sent. */
  readonly refused: (what: string) => void
}

interface ScoreService {
  /** The required variables. */
  readonly keys: readonly string[]
  /** The variables with the address of the service, of which the first that is set counts, and the default address. */
  readonly address: { readonly variables: readonly string[]; readonly preset: string }
  /** Further headers, by the optional variable that contains the value. */
  readonly optional?: { readonly [variable: string]: string }
  /** The headers of each request. */
  readonly headers: (keys: readonly string[]) => { readonly [name: string]: string }
  /** Statuses which mean that the object exists already. */
  readonly exists?: readonly number[]
  /** Sends the scores of some trials of one run. Each object has its own id, so that sending twice changes nothing. */
  readonly send: (trials: readonly TrialScores[], delivery: Delivery) => Promise<void>
}

/** The maximum number of objects and bytes in one request. Langfuse accepts 3.5 MB. */
const most = { objects: 50, bytes: 3_000_000 }

/** Splits objects into requests. An object that is larger than the limit gets its own request. */
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

/**
 * Returns the id of an object that a service made; `undefined` if it refused to.
 *
 * @throws `usage-invalid` if the answer has no id
 */
function idIn(answer: Json, what: string): string | undefined {
  if (answer === notTaken) return undefined
  const id = isPlainObject(answer) ? answer['id'] : undefined
  if (typeof id === 'string') return id
  throw usageInvalid('--to', `The service gave no id of the ${what}. Check its address.`)
}

/** Braintrust gets an experiment for the run and an event for each trial. Existing names and ids are reused. */
const braintrust: ScoreService = {
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
  // Braintrust accepts only scores from 0 to 1.
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

/** Langfuse gets a trace for each trial (`/api/public/ingestion`) and its scores (`/api/public/scores`). */
const langfuse: ScoreService = {
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

/** The ingestion answers 207, with an error for each event that it did not accept. */
function reportErrors(answer: Json, refused: Delivery['refused']): void {
  const errors = isPlainObject(answer) ? answer['errors'] : undefined
  if (!Array.isArray(errors)) return
  for (const error of errors) refused(`a trace: ${JSON.stringify(error).slice(0, 500)}`)
}

/** LangSmith gets a project (`/sessions`), a run for each trial (`/runs`) and feedback for each score (`/feedback`). */
const langsmith: ScoreService = {
  keys: ['LANGSMITH_API_KEY'],
  address: { variables: ['LANGSMITH_ENDPOINT'], preset: 'https://api.smith.langchain.com' },
  // Keys of an organization need the id of the workspace.
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

/** Returns the position of a run without a parent: its start in microseconds, followed by its id. */
function dottedOrder(startedAt: string, id: string): string {
  const start = new Date(startedAt).toISOString().replace('Z', '000Z')
  return `${start.replaceAll(/[-:.]/g, '')}${id}`
}

/** The services by their name for `--to`. */
export const scoreServices = { langfuse, langsmith, braintrust } as const

export type ScoreServiceName = keyof typeof scoreServices

/**
 * Reads the address, headers and secrets of a service from the environment.
 *
 * @throws `usage-invalid` with every missing variable
 */
export function serviceOf(
  name: ScoreServiceName,
  environment: { readonly [variable: string]: string | undefined },
  signal: AbortSignal,
): Service {
  const { keys, address, optional, headers, exists }: ScoreService = scoreServices[name]
  const missing = keys.filter((key) => (environment[key] ?? '') === '')
  if (missing.length > 0)
    throw usageInvalid(
      '--to',
      `--to ${name} needs ${missing.join(' and ')} in the environment. --dry-run needs nothing.`,
    )
  const values = keys.map((key) => environment[key] ?? '')
  const { variables, preset } = address
  const variable = variables.find((one) => (environment[one] ?? '') !== '') ?? variables[0] ?? ''
  const given = environment[variable] || preset
  const base = URL.canParse(given) ? new URL(given) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol))
    throw usageInvalid('--to', `${variable} must be an address such as ${preset}.`)
  const more = Object.entries(optional ?? {}).flatMap(([one, header]) => {
    const value = environment[one] ?? ''
    return value === '' ? [] : [[header, value] as const]
  })
  const made = { ...headers(values), ...Object.fromEntries(more) }
  const secrets = [...values, ...Object.values(made)]
  const advice = { key: `Check ${keys.join(', ')}`, address: variable }
  return { name, base, headers: made, secrets, exists, advice, signal }
}
