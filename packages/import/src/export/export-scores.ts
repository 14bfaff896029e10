import { createHash } from 'node:crypto'
import { asText, type Json, type JsonObject } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { counted, expectedOutputOf, resultWithItems, trialText } from '@jurist/experiment/internal/results'
import { type CommandHost, type FlagValues, flag, oneOf, text, toggle, usageInvalid } from '@jurist/experiment/plugin'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { parseOrUndefined } from '@jurist/kit/json'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { safeLine } from '@jurist/kit/terminal'
import { withoutKeysIn } from '../traces/trace-files.js'

/** Sends JSON to a service and returns the answer. Strings that look like a key become `***`. */
type PostJson = (path: string, body: Json) => Promise<Json>

/** The answer to a request that the service refused. */
const notTaken: Json = Object.freeze({})

interface Service {
  /** For example `langfuse`. */
  readonly name: string
  readonly base: URL
  readonly headers: { readonly [name: string]: string }
  /** Strings that no message may contain. */
  readonly secrets: readonly string[]
  /** Statuses which mean that the object exists already. */
  readonly exists?: readonly number[]
  /** Advice for error messages: on the keys, as a sentence without its end, and the variable with the address. */
  readonly advice: { readonly key: string; readonly address: string }
  readonly signal: AbortSignal
}

const attempts = 5

const timeoutMs = 30_000

const maxAnswer = 10_000_000

const policy = { baseMs: 500, maxMs: 20_000 }

/** The longest pause that a service may request. */
const maxPauseMs = 60_000

/** Statuses that refuse a single request; the service may accept others. */
const refusals: readonly number[] = [400, 413, 422]

/**
 * Posts JSON. Retries up to 5 times after a broken connection, 408, 425, 429 and 5xx. Does not follow redirects, which
 * could leak the key.
 *
 * @param refused called if the service refuses a request as such (400, 413, 422); the answer is `notTaken`
 * @throws `usage-invalid` with the status, the beginning of the answer and what to do, never with a key
 */
function postJson(service: Service, refused: (what: string) => void): PostJson {
  const { name, base, secrets, exists = [], signal } = service
  const hidden = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
  let taken = 0
  return async (path, body) => {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await send(service, path, body)
      const { status, retryAfterMs = 0 } = reply
      const isTaken = status >= 200 && status < 300
      const answer = isTaken && reply.text !== '' ? parseOrUndefined(reply.text) : null
      if ((isTaken || exists.includes(status)) && answer !== undefined) {
        taken += 1
        return answer as Json
      }
      const answered = status === 0 ? 'did not answer' : `answered ${status}${isTaken ? ' without JSON' : ''}`
      const said = `${answered} to POST ${base.host}${path}: ${hidden(reply.text).slice(0, 500)}`
      if (refusals.includes(status)) {
        refused(said)
        return notTaken
      }
      if (!isRetryable(status) || attempt >= attempts || retryAfterMs > maxPauseMs) {
        const before = taken === 0 ? 'Nothing was accepted before.' : `${taken} requests were accepted before.`
        throw usageInvalid('--to', `${name} ${said}\n${adviceOf(service, reply)} ${before}`)
      }
      await pause(retryPauseMs(attempt, policy, reply.retryAfterMs), signal)
    }
  }
}

function adviceOf({ advice, base }: Service, { status, retryAfterMs = 0 }: Reply): string {
  const address = `${advice.address} (now ${base.host})`
  if (status === 401 || status === 403) return `${advice.key}, and that ${address} is where the keys were made.`
  if (status !== 0 && !isRetryable(status)) return `Check ${address}.`
  const later = retryAfterMs > maxPauseMs ? ` in ${Math.ceil(retryAfterMs / 1000)} s` : ' later'
  const reachable = status === 0 ? `Check ${address}, or run` : 'Run'
  return `${reachable} the command again${later}: what was sent is not sent twice.`
}

function isRetryable(status: number): boolean {
  return status === 0 || (status !== 409 && isRetryableStatus(status))
}

interface Reply {
  /** 0 if there was no answer. */
  readonly status: number
  readonly text: string
  readonly retryAfterMs?: number | undefined
}

async function send({ base, headers, signal }: Service, path: string, body: Json): Promise<Reply> {
  const url = new URL(base.pathname.replace(/\/$/, '') + path, base)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(withoutKeysIn(body, () => undefined)),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = (await response.text()).slice(0, maxAnswer)
    return { status: response.status, text, retryAfterMs: retryAfterMsIn((name) => response.headers.get(name)) }
  } catch (thrown) {
    signal.throwIfAborted()
    return { status: 0, text: failureOf(thrown).message }
  }
}

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
const scoreServices = { langfuse, langsmith, braintrust } as const

export type ScoreServiceName = keyof typeof scoreServices

/**
 * Reads the address, headers and secrets of a service from the environment.
 *
 * @throws `usage-invalid` with every missing variable
 */
function serviceOf(
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

const names = Object.keys(scoreServices) as readonly ScoreServiceName[]

export const scoreFlags = {
  to: flag('--to <service>', `send the scores to ${names.join(', ')}; keys come from the environment`, oneOf(names)),
  project: flag(
    '--project <name>',
    'with --to: the project of langsmith and braintrust (default: the experiment)',
    text,
  ),
  dryRun: toggle('--dry-run', 'with --to: print the requests, one per line, and send nothing'),
} as const

export function checkScoreFlags(
  { to, project, dryRun, ...others }: FlagValues<typeof scoreFlags> & { readonly [name: string]: unknown },
  problem: (flag: string, message: string) => void,
): void {
  if (to === undefined && project !== undefined) problem('--project', '--project needs --to <service>.')
  if (to === undefined && dryRun) problem('--dry-run', '--dry-run needs --to <service>.')
  if (to === undefined) return
  for (const name of ['table', 'format', 'output'])
    if (others[name] !== undefined) problem(`--${name}`, `--to sends scores, and writes no file: leave --${name} out.`)
}

export interface ScoreTarget {
  readonly to: ScoreServiceName
  /** Default: the name of the experiment. */
  readonly project: string | undefined
  /** Prints the requests instead of sending them. */
  readonly dryRun: boolean
}

const shownRefusals = 20

/**
 * Sends the scores of runs to a service. A refused object does not stop the rest.
 *
 * @throws `usage-invalid` if the service refused an object or a request failed
 */
export async function exportScores(
  host: CommandHost,
  runs: AsyncIterable<ExperimentResult>,
  { to, project, dryRun }: ScoreTarget,
): Promise<void> {
  using interrupt = host.interruptible(() => 'Stopping. Run the command again: what was sent is not sent twice.')
  const refusals: string[] = []
  const refused = (what: string) => void refusals.push(what)
  const post = dryRun ? shownRequests(host) : postJson(serviceOf(to, process.env, interrupt.signal), refused)
  const totals = { runs: 0, trials: 0, scores: 0, withoutScore: 0 }
  for await (const read of runs) {
    const run = await resultWithItems(read)
    const trials = trialScores(run)
    await scoreServices[to].send(trials, { project: project ?? run.experimentName, post, refused })
    totals.runs += 1
    totals.trials += trials.length
    totals.scores += trials.reduce((sum, { scores }) => sum + scores.length, 0)
    totals.withoutScore += run.items.length - trials.length
  }
  if (dryRun) return
  if (refusals.length > 0) {
    const listed = refusals.slice(0, shownRefusals).map((one) => `\n  ${safeLine(one)}`)
    const more = refusals.length > shownRefusals ? `\n  and ${refusals.length - shownRefusals} more` : ''
    const advice =
      'It accepted everything else. Correct the cause and run the command again: what was sent is not sent twice.'
    throw usageInvalid('--to', `${to} did not take:${listed.join('')}${more}\n${advice}`)
  }
  if (host.flags.json === true) host.json({ to, ...totals })
  else {
    const left = totals.withoutScore === 0 ? '' : ` ${counted(totals.withoutScore, 'trial')} without a score left out.`
    host.terminal.out(
      `Sent ${counted(totals.scores, 'score')} of ${counted(totals.trials, 'trial')} to ${to}.${left}\n`,
    )
  }
}

/** Prints each request as a line of JSON. The answers of the service are invented. */
function shownRequests(host: CommandHost): PostJson {
  return async (path, body): Promise<Json> => {
    host.terminal.raw(`${JSON.stringify({ method: 'POST', path, body })}\n`)
    return { id: 'ID' }
  }
}

interface Score {
  readonly name: string
  readonly value: number
  /** The reason for the score. */
  readonly comment?: string
}

/** The data of a trial that a service receives. */
interface TrialScores {
  readonly run: ExperimentResult
  readonly item: ItemResult
  /** `<item> #<repetition>`. */
  readonly name: string
  readonly input: string
  readonly output: string | null
  readonly expected: string | null
  /** The scores of the judges, and `passed`: 1 or 0. A trial without a decision has no `passed`. */
  readonly scores: readonly Score[]
  readonly metadata: { readonly [key: string]: Json }
  /** The id of the trace that the trial was imported from. */
  readonly traceId: string | undefined
}

/** Trials without a score are left out. */
function trialScores(run: ExperimentResult): readonly TrialScores[] {
  return run.items.flatMap((item) => {
    const scores = scoresOf(item)
    if (scores.length === 0) return []
    const { detail, itemId, repetition } = item
    const invocation = detail?.kind === 'agent' ? detail.invocation : undefined
    const expected = expectedOutputOf(item)
    return [
      {
        ...{ run, item, scores },
        name: trialText({ itemId, repetition }),
        input: item.task,
        output: invocation?.output === undefined ? null : asText(invocation.output),
        expected: expected === null ? null : asText(expected),
        metadata: {
          ...{ experiment: run.experimentName, run: run.id, item: itemId, repetition },
          ...(run.variant === null ? {} : { variant: run.variant }),
        },
        traceId: importedTrace(invocation?.metadata),
      },
    ]
  })
}

function scoresOf({ passed, scores, verdict }: ItemResult): readonly Score[] {
  const reason = verdict?.aggregated.reasoning
  const decided: readonly Score[] =
    passed === null
      ? []
      : [{ name: 'passed', value: passed ? 1 : 0, ...(reason === undefined ? {} : { comment: reason }) }]
  return [...decided, ...Object.entries(scores).map(([name, value]) => ({ name, value }))]
}

/** Finds the last trace of a conversation that `jurist import otlp` made. */
function importedTrace(metadata: { readonly [key: string]: unknown } | undefined): string | undefined {
  const trace = metadata?.['trace']
  const id = isPlainObject(trace) ? trace['traceId'] : undefined
  // OTLP/JSON allows capital letters, but the services store small ones.
  return typeof id === 'string' ? id.toLowerCase() : undefined
}

/** Returns the same UUID for the same parts, so that an object that is sent twice is stored once. */
function stableId(...parts: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  // Version 8 of RFC 9562 is for UUIDs of a custom format.
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
