import { optional, type Read, readFlag, readObject, readRecord, readText, readWord } from './decoders.js'
import { type Failure, JuristError } from './errors.js'
import { frozenJson, type JsonObject, type Place, type Raise } from './json.js'
import {
  assemble,
  contradiction,
  isJudgment,
  type Judgment,
  type JudgmentHead,
  type JudgmentStatus,
  judgmentInvalid,
  judgmentStatuses,
  readChecks,
  readSpent,
} from './judgment-record.js'
import { readScore, type Score } from './score.js'

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
