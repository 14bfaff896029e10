import type { FoundDifference } from './difference.js'

const maxDifferences = 1_000

/** Where a comparison of two trees writes what it finds; bounded in both the findings and the work. */
export interface DifferenceLog {
  add(difference: FoundDifference): void
  note(text: string): void
  /** Counts one step of work; `false` when there is no room for another difference, so that work may end. */
  step(): boolean
}

/** Thrown by `step` when two trees are too much to compare. */
export class TooMuch extends Error {}

/** A log for one comparison of at most `maxSteps` pairs of nodes. */
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
