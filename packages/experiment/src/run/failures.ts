import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Failure, flatten, type Judgment, type JudgmentContext, type Verdict, verdictFromJson } from '@jurist/core'
import { failureOf, keepStacks, stackOf, withJudging } from '@jurist/core/internal'
import { retryPauseMs } from '@jurist/kit/retry-pause'
import { withoutHostSecrets } from '@jurist/workspace/internal'
import type { ItemFailure } from '../result/records.js'
import type { Retries } from './experiment.js'
import type { Settings } from './settings.js'

const codes: ReadonlySet<string> = new Set([
  ...['infrastructure', 'rate-limited', 'overloaded', 'unavailable', 'sandbox-unavailable', 'git-failed'],
  'egress-failed',
  'setup-failed',
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE'],
  ...['ENOSPC', 'EMFILE'],
])
const passing = /^(http-)?(408|409|425|429|5\d\d)$/
/** Retrying does not help: a wrong key stays wrong, and so does a package that cannot be built. */
const lasting = /^((http-)?(401|402|403)|setup-failed)$/

/**
 * A function that decides whether the infrastructure is to blame for a failure: by `isInfrastructure`, then by the failure's
 * own `infrastructure`, then by its code. Never by its message. The failure gains the frames of the user's code.
 *
 * @param warn called if `isInfrastructure` throws; the default then applies
 */
export function classifier(
  { isInfrastructure }: Retries,
  { located }: Pick<Recording, 'located'>,
  warn: (code: string, message: string) => void,
): (failure: Failure, origin: ItemFailure['origin']) => ItemFailure {
  return function classify(failure, origin) {
    const infrastructure = failure.infrastructure ?? isInfrastructureCode(failure.code)
    const byDefault: ItemFailure = Object.freeze({ ...located(failure), origin, infrastructure })
    if (isInfrastructure === undefined) return byDefault
    try {
      return Object.freeze({ ...byDefault, infrastructure: isInfrastructure(byDefault) === true })
    } catch (thrown) {
      warn('is-infrastructure-failed', `retries.isInfrastructure threw: ${failureOf(thrown).message}`)
      return byDefault
    }
  }
}

function isInfrastructureCode(code: string | undefined): boolean {
  return code !== undefined && (codes.has(code) || passing.test(code) || lasting.test(code))
}

/** Whether a trial with this failure is worth another attempt. */
export function isRetried({ infrastructure, code = '' }: ItemFailure): boolean {
  return infrastructure && !lasting.test(code)
}

/**
 * The pause before the next attempt, in milliseconds.
 *
 * @param attempt the attempt that failed, counted from 1
 * @param atLeastMs what the server asked for
 */
export function retryDelay(
  attempt: number,
  { baseMs, maxMs, jitter }: Required<Omit<Retries, 'isInfrastructure' | 'user'>>,
  atLeastMs: number,
): number {
  return Math.max(atLeastMs, retryPauseMs(attempt, { baseMs, maxMs, jitter }))
}

/** Adds the details that help to find a cause: stack frames of failures, prompts of model judges. */
export interface Recording {
  /** The failure with the frames of the user's code where it was thrown. */
  located(failure: Failure): Failure
  /** The verdict with the frames of judges that threw. */
  locatedVerdict(verdict: Verdict): Verdict
  /** The context, by which model judges keep their prompts and ask other models where the experiment wants that. */
  judging(context: JudgmentContext): JudgmentContext
}

/** How a run records, by its settings. From now on stacks are kept in this process. */
export function recordingOf({
  projectDirectory,
  recordPrompts,
  askThrough,
}: Pick<Settings, 'projectDirectory' | 'recordPrompts' | 'askThrough'>): Recording {
  keepStacks()
  const judging = {
    ...(recordPrompts && { recordPrompt: withoutHostSecrets }),
    ...(askThrough && { askThrough }),
  }
  const located = (failure: Failure): Failure => {
    const stack = failure.stack === undefined ? userStack(stackOf(failure) ?? '', projectDirectory) : undefined
    return stack === undefined ? failure : Object.freeze({ ...failure, stack })
  }
  return Object.freeze<Recording>({
    located,
    locatedVerdict: (verdict) =>
      flatten(verdict).some(({ judgment }) => judgment.status === 'error')
        ? verdictFromJson(withLocated(verdict, located))
        : verdict,
    judging: (context) => withJudging(context, judging),
  })
}

function withLocated(verdict: Verdict, located: Recording['located']): Verdict {
  const judgment = (one: Judgment): Judgment =>
    one.status === 'error' ? { ...one, failure: located(one.failure) } : one
  return {
    ...verdict,
    aggregated: judgment(verdict.aggregated),
    individual: mapped(verdict.individual, judgment),
    subVerdicts: mapped(verdict.subVerdicts, (one) => withLocated(one, located)),
  }
}

function mapped<Value>(record: Readonly<Record<string, Value>>, change: (value: Value) => Value) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

const mostFrames = 8
const longestName = 100

/** The directory that holds our packages: `packages` in the repository, `node_modules/@jurist` elsewhere. */
const ourHome = fileURLToPath(import.meta.url).replace(
  /[/\\][^/\\]+[/\\](?:dist|src)[/\\](?!.*[/\\](?:dist|src)[/\\]).*$/,
  '',
)

/**
 * The frames of the user's own code in the stack of an error, at most eight, one a line: `at fix (src/agent.js:12:5)`.
 * Frames of Node.js and of Jurist are left out; paths are relative to the project. `undefined`: there are none.
 *
 * @param stack as V8 writes it
 */
export function userStack(stack: string, projectDirectory: string): string | undefined {
  const frames = stack.split('\n').flatMap((line) => frameOf(line, projectDirectory))
  return frames.length === 0 ? undefined : frames.slice(0, mostFrames).join('\n')
}

const named = /^\s+at (?<name>.+) \((?<file>[^()]+):(?<line>\d+):(?<column>\d+)\)$/
const unnamed = /^\s+at (?:async )?(?<file>[^()]+):(?<line>\d+):(?<column>\d+)$/

function frameOf(text: string, projectDirectory: string): readonly string[] {
  const { name, file = '', line, column } = (named.exec(text) ?? unnamed.exec(text))?.groups ?? {}
  const path = pathOf(file)
  if (path === undefined || isOurs(path)) return []
  const place = `${relative(projectDirectory, path).split(sep).join('/')}:${line}:${column}`
  return [name === undefined ? `at ${place}` : `at ${name.slice(0, longestName)} (${place})`]
}

/** The path of a file; `undefined` for a name such as `node:internal/process`. */
function pathOf(file: string): string | undefined {
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file.replace(/[?#].*$/, '')) : file
    return /^(?:\/|[A-Za-z]:[/\\])/.test(path) ? path : undefined
  } catch {
    return undefined
  }
}

function isOurs(path: string): boolean {
  if (/[/\\]node_modules[/\\](?:@jurist|jurist)[/\\]/.test(path)) return true
  return path.startsWith(ourHome) && /^[/\\][^/\\]+[/\\](?:dist|src)[/\\]/.test(path.slice(ourHome.length))
}
