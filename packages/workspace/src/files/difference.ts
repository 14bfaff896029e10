import { escaped, quoted, shortened } from '../quotation.js'

const maxNameLength = 200

/**
 * One difference from the reference. Lines count from 1; `null` if a side has no such line. `line` is the workspace's,
 * `referenceLine` the reference's.
 */
export interface Difference {
  readonly kind: 'missing' | 'unexpected' | 'differs' | 'order' | 'header'
  readonly member: string
  readonly line: number | null
  readonly referenceLine: number | null
  readonly message: string
}

/** A difference from a comparator. A missing member also has the place in the workspace where it would belong. */
export interface FoundDifference extends Difference {
  /** For `missing`: the workspace line of the type (element, mapping) that should contain the member. */
  readonly enclosingLine?: number
}

/** A member of the reference that the workspace does not have. */
export function missing(place: {
  readonly member: string
  readonly referenceLine: number | null
  readonly enclosingLine?: number
}): FoundDifference {
  const { member, referenceLine, enclosingLine } = place
  const message = `${nameOf(member)} missing${referenceLine === null ? '' : ` (reference line ${referenceLine})`}`
  return found({
    kind: 'missing',
    member,
    line: null,
    referenceLine,
    message,
    enclosingLine,
  })
}

/** A member of the workspace that the reference does not have. */
export function unexpected({
  member,
  line,
}: {
  readonly member: string
  readonly line: number | null
}): FoundDifference {
  const message = `${nameOf(member)} unexpected${line === null ? '' : ` (line ${line})`}`
  return found({ kind: 'unexpected', member, line, referenceLine: null, message })
}

/**
 * A member that differs between the sides. `expected` and `found` are pieces of the files, quoted here; absent if that
 * side has ended there.
 */
export function differs(place: {
  readonly kind?: 'differs' | 'header'
  readonly member: string
  /** The part of the member: `body`, `signature`. */
  readonly part?: string
  readonly line: number | null
  readonly referenceLine: number | null
  readonly expected?: string
  readonly found?: string
}): FoundDifference {
  const { kind = 'differs', member, part, line, referenceLine, expected, found: actual } = place
  const subject = [nameOf(member), part].filter((word) => word !== undefined && word !== '').join(' ')
  const where = line === null ? '' : ` at line ${line}`
  const sides = `expected ${side(expected)} found ${side(actual)}`
  return found({ kind, member, line, referenceLine, message: `${subject} differs${where}: ${sides}`.trimStart() })
}

const shownLength = 78
const lead = 20

/**
 * Returns the parts of two strings around their first difference, short enough to be quoted whole. A side that has
 * ended has none.
 */
export function excerpts(
  expected: string | undefined,
  found: string | undefined,
): { readonly expected: string | undefined; readonly found: string | undefined } {
  const [one, other] = [expected ?? '', found ?? '']
  if (one.length <= shownLength && other.length <= shownLength) return { expected, found }
  let same = 0
  while (same < Math.min(one.length, other.length) && one.charCodeAt(same) === other.charCodeAt(same)) same++
  const start = Math.max(0, same - lead)
  return { expected: excerpt(expected, start), found: excerpt(found, start) }
}

function excerpt(text: string | undefined, start: number): string | undefined {
  const end = start + shownLength - 1
  return text && `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** Elements of a scope that are complete, but in another order. `element` is the first one out of place. */
export function outOfOrder(place: {
  readonly member: string
  readonly element: string
  readonly line: number | null
  readonly referenceLine: number | null
}): FoundDifference {
  const { member, element, line, referenceLine } = place
  const where = line === null ? '' : ` (line ${line})`
  const message = `${nameOf(member)} has another order: ${nameOf(element)} is out of place${where}`.trimStart()
  return found({ kind: 'order', member, line, referenceLine, message })
}

/** Sorts differences by workspace line, then kind, then member. Those without a line come last. */
export function inOrder<Found extends Difference>(differences: readonly Found[]): readonly Found[] {
  return [...differences].sort(
    (one, other) =>
      (one.line ?? Number.MAX_SAFE_INTEGER) - (other.line ?? Number.MAX_SAFE_INTEGER) ||
      byCodeUnits(one.kind, other.kind) ||
      byCodeUnits(one.member, other.member),
  )
}

/** Compares strings by code units, independently of the locale. */
export function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function found(difference: FoundDifference): FoundDifference {
  return { ...difference, message: shortened(difference.message) }
}

/** Formats a member for messages: unchanged if it is short and harmless. */
function nameOf(member: string): string {
  const name = escaped(member)
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name
}

function side(text: string | undefined): string {
  return text === undefined ? 'nothing' : quoted(text)
}

const maxDifferences = 1_000

/** Receives the differences of two trees. Both their number and the work are limited. */
export interface DifferenceLog {
  add(difference: FoundDifference): void
  note(text: string): void
  /** Counts one step of work. Returns `false` when there is no room for another difference, so that work may end. */
  step(): boolean
}

/** Thrown by `step` when two trees are too large to compare. */
export class TooMuch extends Error {}

/** Creates a log for one comparison of at most `maxSteps` pairs of nodes. */
export function differenceLog(maxSteps: number): DifferenceLog & {
  readonly differences: readonly FoundDifference[]
  readonly notes: ReadonlySet<string>
} {
  const differences: FoundDifference[] = []
  const notes = new Set<string>()
  let steps = 0
  return {
    differences,
    notes,
    add(difference) {
      if (differences.length < maxDifferences) differences.push(difference)
    },
    note: (text) => void notes.add(text),
    step() {
      if (++steps > maxSteps) throw new TooMuch(`more than ${maxSteps} nodes to compare`)
      if (differences.length < maxDifferences) return true
      notes.add(`only the first ${maxDifferences} differences found are listed`)
      return false
    },
  }
}
