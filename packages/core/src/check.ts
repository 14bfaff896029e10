import type { Place, Raise } from './json.js'

/** One thing a judge looked at: the evidence under a judgment. */
export interface Check {
  readonly name: string
  readonly passed: boolean
  /** May be empty. */
  readonly message: string
  /** Within [0, 1]. */
  readonly score?: number
  /** Where: a path of the workspace and a line, counted from 1. */
  readonly location?: { readonly path: string; readonly line?: number }
}

/** The checks in `value` as a frozen copy; `raise` is told of the first fault. */
export function readChecks(value: unknown, place: Place, raise: Raise): readonly Check[] {
  if (!Array.isArray(value)) return raise(place, 'must be a list')
  return Object.freeze(value.map((check, index) => readCheck(check, [...place, index], raise)))
}

function readCheck(value: unknown, place: Place, raise: Raise): Check {
  if (typeof value !== 'object' || value === null) return raise(place, 'must be an object')
  const { name, passed, message, score, location } = value as { readonly [key: string]: unknown }
  if (typeof name !== 'string' || name.trim() === '')
    return raise([...place, 'name'], 'must be a text that is not blank')
  if (typeof passed !== 'boolean') return raise([...place, 'passed'], 'must be true or false')
  if (typeof message !== 'string') return raise([...place, 'message'], 'must be a text')
  if (score !== undefined && !(typeof score === 'number' && score >= 0 && score <= 1))
    return raise([...place, 'score'], 'must be a number from 0 to 1')
  return Object.freeze({
    name,
    passed,
    message,
    ...(score === undefined ? {} : { score: score + 0 }),
    ...(location === undefined ? {} : { location: readLocation(location, [...place, 'location'], raise) }),
  })
}

function readLocation(value: unknown, place: Place, raise: Raise): { readonly path: string; readonly line?: number } {
  if (typeof value !== 'object' || value === null) return raise(place, 'must be an object')
  const { path, line } = value as { readonly [key: string]: unknown }
  if (typeof path !== 'string') return raise([...place, 'path'], 'must be a text')
  if (line === undefined) return Object.freeze({ path })
  if (!(Number.isSafeInteger(line) && (line as number) > 0))
    return raise([...place, 'line'], 'must be a whole number above 0')
  return Object.freeze({ path, line: line as number })
}
