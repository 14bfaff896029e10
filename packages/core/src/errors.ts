/** An error as data: the JSON form of anything thrown. */
export interface Failure {
  readonly name: string
  readonly message: string
  readonly code?: string
  /** `true`: the infrastructure failed (network, quota, a missing program), not the subject. Absent: not known. */
  readonly infrastructure?: boolean
  /**
   * Where the error was thrown: the frames of the user's own code, one per line, with paths relative to the project.
   * Experiments add it when they store a trial. Absent: not known, or not thrown by the user's code.
   */
  readonly stack?: string
}

/**
 * Every code a `JuristError` can have, with its details. Open to declaration merging: each package adds its own rows.
 */
export interface Problems extends LlmProblems {
  'score-invalid': { readonly value: string }
  'score-not-numeric': { readonly value: string }
  'judgment-invalid': { readonly path: string }
  'metadata-invalid': { readonly path: string }
  'verdict-invalid': { readonly path: string }
  'option-invalid': { readonly option: string }
  'name-invalid': { readonly name: string }
  'name-duplicate': { readonly name: string }
  'judge-invalid': { readonly name: string }
  'judges-empty': { readonly where: string }
  'weight-invalid': { readonly name: string }
  'ballots-empty': { readonly strategy: string }
  'cascade-invalid': { readonly tier: string }
  'judge-timeout': { readonly timeoutMs: number }
  aborted: { readonly reason: string }
  'path-invalid': { readonly path: string }
  'path-escape': { readonly path: string }
  'not-found': { readonly path: string }
  'not-a-file': { readonly path: string }
  'not-text': { readonly path: string }
  'read-only': { readonly path: string }
  'too-large': { readonly path: string; readonly maxBytes: number }
  'limit-exceeded': { readonly what: string; readonly limit: number }
  'regex-timeout': { readonly pattern: string; readonly budgetMs: number }
  'pattern-invalid': { readonly pattern: string }
  'script-exhausted': { readonly calls: number }
}

const brand = Symbol.for('jurist.error')

/**
 * The one error class of Jurist: a code from `Problems`, details typed by the code, and a message that states what is
 * wrong and what to do instead. Match on `code`, never on the message.
 *
 * @example
 * import { JuristError, numerical } from '@jurist/core'
 *
 * try {
 *   numerical(11, { max: 10 })
 * } catch (thrown) {
 *   if (JuristError.is(thrown, 'score-invalid')) console.log(thrown.details.value)
 * }
 */
export class JuristError<Code extends keyof Problems = keyof Problems> extends Error {
  override readonly name = 'JuristError' as const
  readonly code: Code
  readonly details: Problems[Code]

  constructor(code: Code, message: string, details: Problems[Code], options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
    this.details = Object.freeze({ ...details }) as Problems[Code]
    Object.defineProperty(this, brand, { value: true })
  }

  /**
   * Whether `error` is a `JuristError` (with this `code`, if given), including one from another installed copy of
   * Jurist.
   */
  static is<Code extends keyof Problems = keyof Problems>(error: unknown, code?: Code): error is JuristError<Code> {
    const branded = (error as { readonly [brand]?: unknown; readonly code?: unknown } | null | undefined) ?? {}
    return branded[brand] === true && (code === undefined || branded.code === code)
  }
}

/** Never contains a stack or a live object. */
export function failureOf(thrown: unknown): Failure {
  try {
    return Object.freeze(isError(thrown) ? notedFailure(thrown) : { name: 'Error', message: String(thrown) || 'Error' })
  } catch {
    return Object.freeze({ name: 'Error', message: 'unprintable value' })
  }
}

function notedFailure(error: Error): Failure {
  const failure = failureOfError(error)
  noteStack(failure, error)
  return failure
}

function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]'
}

function failureOfError(error: Error & { readonly code?: unknown; readonly infrastructure?: unknown }): Failure {
  const name = typeof error.name === 'string' && error.name !== '' ? error.name : 'Error'
  const { code, infrastructure } = error
  return {
    name,
    message: String(error.message) || name,
    ...(typeof code === 'string' && { code }),
    ...(typeof infrastructure === 'boolean' && { infrastructure }),
  }
}

/** Errors between a judge and its model. */
export interface LlmProblems {
  'template-invalid': { readonly template: string; readonly variable?: string }
  'variable-missing': { readonly template: string; readonly variable: string }
  'labels-invalid': { readonly label: string }
  'model-key-missing': { readonly model: string; readonly variable: string }
  'model-timeout': { readonly timeoutMs: number }
  'response-invalid': { readonly reason: string }
  'replay-miss': { readonly key: string }
  'budget-exceeded': { readonly spent: number; readonly limit: number }
}

/** Keyed by name and message of the error; `undefined`: stacks are not kept. */
let kept: Map<string, string> | undefined

const mostKept = 200
const longest = 4_000

/**
 * Keeps the stacks of the last 200 errors that become failures in this process. For debugging: they are never stored.
 */
export function keepStacks(): void {
  kept ??= new Map()
}

function noteStack({ name, message }: { readonly name: string; readonly message: string }, error: Error): void {
  if (kept === undefined || typeof error.stack !== 'string') return
  const key = `${name}\n${message}`
  kept.delete(key)
  kept.set(key, error.stack.slice(0, longest))
  const [oldest] = kept.keys()
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
}

/** Always `undefined` unless `keepStacks` was called before. */
export function stackOf({ name, message }: { readonly name: string; readonly message: string }): string | undefined {
  return kept?.get(`${name}\n${message}`)
}
