import { type Failure, JuristError } from './errors.js'
import { dotted, frozenJson, type JsonObject, metadataInvalid, type Place, type Raise } from './json.js'
import {
  optional,
  type Read,
  readAmount,
  readCount,
  readFlag,
  readList,
  readObject,
  readRate,
  readRecord,
  readText,
  readWord,
} from './options.js'
import { privateMark } from './private-mark.js'
import { readScore, type Score } from './score.js'
import { readUsage, type Usage } from './usage.js'

/** A single observation of a judge: the evidence under a judgment. */
export interface Check {
  readonly name: string
  readonly passed: boolean
  /** May be empty. */
  readonly message: string
  /** From 0 to 1. */
  readonly score?: number
  /** A path of the workspace and a line, counted from 1. */
  readonly location?: { readonly path: string; readonly line?: number }
}

const readName: Read<string> = (value, place, raise) =>
  readText(value, place, raise).trim() === '' ? raise(place, 'must not be blank') : (value as string)

const readChecks: Read<readonly Check[]> = readList(
  readObject<Check>({
    name: readName,
    passed: readFlag,
    message: readText,
    score: optional(readRate),
    location: optional(readObject<Required<Check>['location']>({ path: readText, line: optional(readCount(1)) })),
  }),
)

/** The fields of every judgment: its reasons, its evidence and what it cost. */
export interface Grounds {
  readonly reasoning: string
  readonly checks: readonly Check[]
  readonly metadata: JsonObject
  readonly elapsedMs?: number
  readonly usage?: Usage
  readonly costUsd?: number
}
/** The subject is right. */
export interface PassJudgment extends Grounds {
  readonly status: 'pass'
  readonly score: Score
}
/** The subject is wrong. */
export interface FailJudgment extends Grounds {
  readonly status: 'fail'
  readonly score: Score
}
/** There was nothing to judge. */
export interface AbstainJudgment extends Grounds {
  readonly status: 'abstain'
  readonly score?: never
}
/** The judge is broken, not the subject. */
export interface ErrorJudgment extends Grounds {
  readonly status: 'error'
  readonly score?: never
  readonly failure: Failure
}
/** The result of a judge: frozen and always valid JSON. */
export type Judgment = PassJudgment | FailJudgment | AbstainJudgment | ErrorJudgment
/** The status of a judgment: `pass`, `fail`, `abstain` or `error`. */
export type JudgmentStatus = Judgment['status']
export const judgmentStatuses: readonly JudgmentStatus[] = ['pass', 'fail', 'abstain', 'error']

/** Options of `pass`, `fail`, `abstain` and `error`. `metadata` must be JSON; `elapsedMs` and `costUsd` are at least 0. */
export interface Extras {
  readonly checks?: readonly Check[]
  readonly metadata?: { readonly [key: string]: unknown }
  readonly elapsedMs?: number
  readonly usage?: Usage
  readonly costUsd?: number
}
/** Options of a judgment that may have a score. */
export interface ScoredExtras extends Extras {
  /** A number `n` means `numerical(n)`. */
  readonly score?: Score | number
}

export interface JudgmentHead {
  readonly status: JudgmentStatus
  readonly score?: Score
  readonly failure?: Failure
}

export function judgmentInvalid(place: Place, problem: string): never {
  const path = dotted(place)
  throw new JuristError(
    'judgment-invalid',
    `Not a judgment: ${path === '$' ? 'it' : `"${path}"`} ${problem}. Make judgments with pass, fail, abstain, error or scored.`,
    { path },
  )
}

/** A boolean score must not contradict the status. */
export function contradiction(status: JudgmentStatus, score: Score, place: Place, raise: Raise): void {
  if (score.type === 'boolean' && score.value !== (status === 'pass'))
    raise(place, `is ${score.value}, which contradicts the status "${status}"`)
}

/**
 * The only place where judgments are created. It checks, copies and freezes the evidence, and puts the keys in the
 * order of the JSON form.
 *
 * @throws `judgment-invalid` for bad evidence, `metadata-invalid` for metadata that is not JSON
 */
export function buildJudgment<Head extends JudgmentHead>(
  head: Head,
  reasoning: string,
  extras?: Extras,
): Judgment & Head {
  const { checks, metadata, usage, costUsd, elapsedMs } = extras ?? {}
  return assemble(head, {
    reasoning,
    checks: checks === undefined ? noChecks : readChecks(checks, ['checks'], judgmentInvalid),
    metadata: metadata === undefined ? noMetadata : readMetadata(metadata, ['metadata'], metadataInvalid),
    ...(extras && readSpent({ elapsedMs, usage, costUsd }, [], judgmentInvalid)),
  }) as Judgment & Head
}

/** The object may have other fields. */
const readSpent: Read<Pick<Grounds, 'elapsedMs' | 'usage' | 'costUsd'>> = readObject({
  elapsedMs: optional(readAmount),
  usage: optional(readUsage),
  costUsd: optional(readAmount),
})

export interface Evidence {
  readonly reasoning: string
  readonly checks: readonly Check[]
  readonly metadata: JsonObject
  readonly elapsedMs?: number | undefined
  readonly usage?: Usage | undefined
  readonly costUsd?: number | undefined
}

/** The order of the keys is that of the JSON form. */
export function assemble(
  { status, score, failure }: JudgmentHead,
  evidence: Evidence,
  elapsedMs: number | undefined = evidence.elapsedMs,
): Judgment {
  const judgment: { [key: string]: unknown } = { status }
  if (score !== undefined) judgment.score = score
  if (failure !== undefined) judgment.failure = failure
  judgment.reasoning = evidence.reasoning
  judgment.checks = evidence.checks
  judgment.metadata = evidence.metadata
  if (elapsedMs !== undefined) judgment.elapsedMs = elapsedMs
  if (evidence.usage !== undefined) judgment.usage = evidence.usage
  if (evidence.costUsd !== undefined) judgment.costUsd = evidence.costUsd
  return made.put(judgment)
}

export function timed(judgment: Judgment, elapsedMs: number): Judgment {
  return judgment.elapsedMs === undefined ? assemble(judgment, judgment, elapsedMs) : judgment
}

const made = privateMark<Judgment>()
/** A judgment that was created here needs no further checks. */
const isJudgment: (value: unknown) => value is Judgment = made.isOn
export const noChecks: readonly Check[] = Object.freeze([])
const noMetadata: JsonObject = Object.freeze({})

/**
 * Drops unknown keys and freezes the result.
 *
 * @throws `judgment-invalid` with the path of the first problem (`$` for the whole)
 */
export function judgmentFromJson(value: unknown): Judgment {
  return readJudgment(value, [], judgmentInvalid)
}

export const readJudgment: Read<Judgment> = (value, place, raise) => {
  if (isJudgment(value)) return value
  const given = readRecord(value, place, raise)
  const head = readHead(given, place, raise)
  const part = <Value>(key: string, read: Read<Value>): Value => read(given[key], [...place, key], raise)
  const reasoning = part('reasoning', readText)
  if (head.score === undefined && reasoning.trim() === '') return raise([...place, 'reasoning'], 'must not be blank')
  return assemble(head, {
    reasoning,
    checks: part('checks', readChecks),
    metadata: part('metadata', readMetadata),
    ...readSpent(given, place, raise),
  })
}

const readMetadata: Read<JsonObject> = (value, place, raise) =>
  frozenJson(readRecord(value, place, raise), place, raise) as JsonObject

const readStatus = readWord<JudgmentStatus>(...judgmentStatuses)

const readFailure = readObject<Failure>({
  name: readText,
  message: readText,
  code: optional(readText),
  infrastructure: optional(readFlag),
  stack: optional(readText),
})

function readHead(given: { readonly [key: string]: unknown }, place: Place, raise: Raise): JudgmentHead {
  const status = readStatus(given.status, [...place, 'status'], raise)
  const at = [...place, 'score']
  if (status === 'abstain' || status === 'error') {
    if (given.score !== undefined) return raise(at, `must be absent when the status is "${status}"`)
    return status === 'abstain'
      ? { status }
      : { status, failure: readFailure(given.failure, [...place, 'failure'], raise) }
  }
  const score = readScoreAt(given.score, at, raise)
  contradiction(status, score, at, raise)
  return { status, score }
}

const readScoreAt: Read<Score> = (value, place, raise) => {
  if (value === undefined) return raise(place, 'is missing')
  try {
    return readScore(value)
  } catch (thrown) {
    // Includes the `option-invalid` of a scale that is not an object.
    if (JuristError.is(thrown)) return raise(place, `is wrong: ${thrown.message.replace(/^Not a score: |\.$/g, '')}`)
    throw thrown
  }
}
