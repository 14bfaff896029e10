import type { Check, Json, JsonObject, Judgment } from '@jurist/core'
import { fail, numerical, pass } from '@jurist/core'
import type { EntryOutcome } from './compare-entry.js'
import { frozen } from './file-comparison.js'

const maxPaths = 100
const maxFiles = 50
const maxDifferences = 20
const maxMetadataBytes = 64 * 1024

/** What a match of two trees found. */
export interface Match {
  readonly outcomes: ReadonlyMap<string, EntryOutcome | 'identical'>
  readonly extra: readonly string[]
  readonly checks: readonly Check[]
  readonly root: string | null
}

/** The judgment of a match: the share of checks that pass, and what differs as far as there is room. */
export function matchJudgment({ outcomes, extra, checks, root }: Match): Judgment {
  const passed = checks.filter((check) => check.passed).length
  const matchedFiles = [...outcomes.values()].filter(isMatch).length
  const totalFiles = outcomes.size
  const missing = [...outcomes].filter(([, outcome]) => isAbsent(outcome)).map(([path]) => path)
  const head = {
    reference: root,
    matchedFiles,
    totalFiles,
    ...limited('missing', missing),
    ...limited('extra', extra),
  }
  const metadata = { ...head, ...filesWithin(maxMetadataBytes - sizeOf(head), outcomes) }
  const reasoning = `${matchedFiles} of ${totalFiles} files match the reference`
  const extras = { score: numerical(passed / checks.length), checks, metadata }
  return passed === checks.length ? pass(reasoning, extras) : fail(reasoning, extras)
}

function isMatch(outcome: EntryOutcome | 'identical'): boolean {
  return outcome === 'identical' || (outcome.kind === 'compared' && outcome.comparison.result !== 'differs')
}

function isAbsent(outcome: EntryOutcome | 'identical'): boolean {
  return outcome !== 'identical' && outcome.kind === 'absent'
}

/** The first hundred paths (fewer when they are long), and how many there are when that is not all. */
function limited(name: 'missing' | 'extra', paths: readonly string[]): JsonObject {
  const shown = paths.slice(0, maxPaths)
  while (sizeOf(shown) > maxMetadataBytes / 4) shown.pop()
  return { [name]: shown, ...(shown.length < paths.length ? { [`${name}Total`]: paths.length } : {}) }
}

/** The files that are not identical, as many as there is room for; `omitted` counts the others. */
function filesWithin(roomBytes: number, outcomes: Match['outcomes']): JsonObject {
  const files: Json[] = []
  let room = roomBytes
  let omitted = 0
  for (const [path, outcome] of outcomes) {
    if (outcome === 'identical' || outcome.kind !== 'compared' || outcome.comparison.result === 'identical') continue
    const { result, by, notes, differences } = frozen(outcome.comparison)
    const shown = differences.slice(0, maxDifferences).map((difference) => ({ ...difference }))
    const more = differences.length - shown.length
    const file = { path, result, by, notes, differences: shown, ...(more > 0 ? { omittedDifferences: more } : {}) }
    room -= sizeOf(file)
    if (files.length < maxFiles && room > 0) files.push(file)
    else omitted++
  }
  return { files, ...(omitted > 0 ? { omitted } : {}) }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
