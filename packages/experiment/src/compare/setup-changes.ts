import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { RunRecord } from '../result/records.js'
import { allDifferences, type MeasuredRun } from './conditions.js'

/** The fields of a run that say how it was set up. */
export type RunSetup = MeasuredRun & Pick<RunRecord, 'code' | 'dataset' | 'jury'>

/** Something that changed from one run to a later one. */
export interface SetupChange {
  /** `commit`, `dataset`, `jury`, or the name of another condition, such as `model` or `prompt`. */
  readonly what: string
  readonly before: string
  readonly after: string
  /** Whether the two runs cannot be compared because of it. */
  readonly refuses: boolean
}

/**
 * What changed in the setup of a run since an earlier one: the commit, the dataset, the jury, and every other condition
 * that differs.
 *
 * @example
 * setupChanges(earlier, later) // [{ what: 'model', before: 'large-1', after: 'large-2', refuses: false }]
 */
export function setupChanges(before: RunSetup, after: RunSetup): readonly SetupChange[] {
  return [...commitChange(before, after), ...datasetChange(before, after), ...conditionChanges(before, after)]
}

/** An unknown commit does not count as a change. */
function commitChange({ code: before }: RunSetup, { code: after }: RunSetup): readonly SetupChange[] {
  if (before.gitCommit === null || after.gitCommit === null || before.gitCommit === after.gitCommit) return []
  return [{ what: 'commit', before: commitText(before), after: commitText(after), refuses: false }]
}

function commitText({ gitCommit, dirty }: RunRecord['code']): string {
  return `${gitCommit?.slice(0, commitDigits)}${dirty ? ' with uncommitted changes' : ''}`
}

/** Items are compared one by one, so another dataset does not prevent a comparison. */
function datasetChange({ dataset: before }: RunSetup, { dataset: after }: RunSetup): readonly SetupChange[] {
  if (before.hash === after.hash) return []
  const isNamed = before.name !== after.name || before.version !== after.version
  const textOf = ({ name, version, hash }: RunRecord['dataset']) =>
    isNamed ? `${name} ${version}` : hash.slice(0, hashDigits)
  return [{ what: 'dataset', before: textOf(before), after: textOf(after), refuses: false }]
}

function conditionChanges(before: RunSetup, after: RunSetup): readonly SetupChange[] {
  return allDifferences(before, after).map(({ condition, baseline, candidate, allowed }) => ({
    what: condition,
    ...(condition === 'jury' ? juryTexts(before, after) : { before: valueText(baseline), after: valueText(candidate) }),
    refuses: !allowed,
  }))
}

/** The judges that only one of the juries has; where both have the same, the fingerprints. */
function juryTexts({ jury: before }: RunSetup, { jury: after }: RunSetup): Pick<SetupChange, 'before' | 'after'> {
  const paths = (jury: RunSetup['jury']) => new Set(jury?.judges.map(({ path }) => path.replace(/^\//, '')))
  const [had, has] = [paths(before), paths(after)]
  const [gone, added] = [[...had].filter((path) => !has.has(path)), [...has].filter((path) => !had.has(path))]
  if (gone.length + added.length > 0) return { before: listText(gone), after: listText(added) }
  const print = (jury: RunSetup['jury']) => jury?.fingerprint.slice(0, hashDigits) ?? 'none'
  return { before: print(before), after: print(after) }
}

function listText(names: readonly string[]): string {
  return names.length === 0 ? '–' : cut(names.join(', '))
}

function valueText(value: Json): string {
  if (value === null) return 'none'
  if (typeof value === 'string') return /^[\da-f]{64}$/.test(value) ? value.slice(0, hashDigits) : cut(value)
  return cut(isPlainObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value))
}

const [commitDigits, hashDigits, longest] = [10, 8, 60]

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}
