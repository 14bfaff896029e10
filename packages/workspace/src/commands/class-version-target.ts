import { shownVersion } from './class-file.js'

/** What the major versions must be; at least one is given. */
export interface VersionTarget {
  readonly expected?: number
  readonly atMost?: number
  readonly atLeast?: number
}

/** Whether a version is one of those that are wanted. */
export function isWanted(major: number, { expected, atMost, atLeast }: VersionTarget): boolean {
  return (
    (expected === undefined || major === expected) &&
    (atMost === undefined || major <= atMost) &&
    (atLeast === undefined || major >= atLeast)
  )
}

/** The target in words. */
export function shownTarget({ expected, atMost, atLeast }: VersionTarget): string {
  return [
    ...(expected === undefined ? [] : [shownVersion(expected)]),
    ...(atLeast === undefined ? [] : [`at least ${shownVersion(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${shownVersion(atMost)}`]),
  ].join(' and ')
}

/** The target in a value of the metadata: a whole number, or a text of digits; else what is wrong with it. */
export function targetIn(value: unknown, key: string): VersionTarget | string {
  if (value === undefined) return `no class version is asked for, and the metadata has no "${key}"`
  const version = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value
  if (Number.isSafeInteger(version) && (version as number) > 0) return { expected: version as number }
  const type = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  return `"${key}" of the metadata must be a whole number or a text of digits, and is of the type ${type}`
}
