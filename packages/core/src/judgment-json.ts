import { readChecks } from './check.js'
import type { Failure } from './errors.js'
import { JuristError } from './errors.js'
import type { JsonObject, Place, Raise } from './json.js'
import { frozenJson } from './json.js'
import type { Judgment, JudgmentHead, JudgmentStatus } from './judgment-record.js'
import { assemble, contradiction, isJudgment, judgmentInvalid, readAmount } from './judgment-record.js'
import { readScore } from './score.js'
import { readUsage } from './usage.js'

/**
 * Reads a judgment back from JSON; unknown keys are dropped, the result is frozen.
 *
 * @throws `judgment-invalid` with the path of the first fault (`$` for the whole)
 *
 * @example
 * judgmentFromJson(JSON.parse(line))
 */
export function judgmentFromJson(value: unknown): Judgment {
  return readJudgment(value, [], judgmentInvalid)
}

/** As `judgmentFromJson`, for a judgment that stands inside something else: `raise` is told of the first fault. */
export function readJudgment(value: unknown, place: Place, raise: Raise): Judgment {
  if (isJudgment(value)) return value
  if (typeof value !== 'object' || value === null) return raise(place, 'must be a judgment')
  const { reasoning, checks, metadata, elapsedMs, usage, costUsd, ...rest } = value as Readonly<Record<string, unknown>>
  const head = readHead(rest, place, raise)
  if (typeof reasoning !== 'string') return raise([...place, 'reasoning'], 'must be a text')
  if (head.score === undefined && reasoning.trim() === '') return raise([...place, 'reasoning'], 'must not be blank')
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return raise([...place, 'metadata'], 'must be an object')
  return assemble(head, {
    reasoning,
    checks: readChecks(checks, [...place, 'checks'], raise),
    metadata: frozenJson(metadata, [...place, 'metadata'], raise) as JsonObject,
    elapsedMs: elapsedMs === undefined ? undefined : readAmount(elapsedMs, [...place, 'elapsedMs'], raise),
    usage: usage === undefined ? undefined : readUsage(usage, [...place, 'usage'], raise),
    costUsd: costUsd === undefined ? undefined : readAmount(costUsd, [...place, 'costUsd'], raise),
  })
}

const statuses: ReadonlySet<unknown> = new Set(['pass', 'fail', 'abstain', 'error'] satisfies JudgmentStatus[])

function readHead(given: Readonly<Record<string, unknown>>, place: Place, raise: Raise): JudgmentHead {
  const { score, failure } = given
  if (!statuses.has(given.status)) return raise([...place, 'status'], 'must be "pass", "fail", "abstain" or "error"')
  const status = given.status as JudgmentStatus
  if (status === 'abstain' || status === 'error') {
    if (score !== undefined) return raise([...place, 'score'], `must be absent when the status is "${status}"`)
    return status === 'abstain' ? { status } : { status, failure: readFailure(failure, [...place, 'failure'], raise) }
  }
  try {
    const read = readScore(score)
    contradiction(status, read, [...place, 'score'], raise)
    return { status, score: read }
  } catch (thrown) {
    return JuristError.is(thrown, 'score-invalid')
      ? raise([...place, 'score'], `is wrong: ${thrown.message}`)
      : rethrow(thrown)
  }
}

function rethrow(thrown: unknown): never {
  throw thrown
}

function readFailure(value: unknown, place: Place, raise: Raise): Failure {
  if (typeof value !== 'object' || value === null) return raise(place, 'must be an object')
  const { name, message, code, infrastructure } = value as Readonly<Record<string, unknown>>
  if (typeof name !== 'string') return raise([...place, 'name'], 'must be a text')
  if (typeof message !== 'string') return raise([...place, 'message'], 'must be a text')
  if (code !== undefined && typeof code !== 'string') return raise([...place, 'code'], 'must be a text')
  if (infrastructure !== undefined && typeof infrastructure !== 'boolean')
    return raise([...place, 'infrastructure'], 'must be true or false')
  return Object.freeze({
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(infrastructure === undefined ? {} : { infrastructure }),
  })
}
