import { groupBy } from '@jurist/kit/group-by'
import type { QuarantineEntry } from '../dataset/quarantine.js'
import { counted, percent } from './amounts.js'
import type { RunRecord } from './records.js'
import type { Summary } from './summary.js'
import { type RunResult, type Trial, type TrialName, trialsOf } from './trial-figures.js'

type Quarantined = Pick<RunRecord, 'quarantine'>

/** The ids of the items of a run of which no trial counts. */
export function quarantinedItems({ quarantine = [] }: Quarantined): ReadonlySet<string> {
  return new Set(quarantine.flatMap(({ item, judge }) => (judge === undefined ? [item] : [])))
}

/** The trials of a run that count: those outside of quarantine. */
export function countedTrials(run: RunResult): readonly Trial[] {
  return splitTrials(run, trialsOf(run)).counted
}

/** Trials that count, and those in quarantine. */
export function splitTrials<One extends Pick<TrialName, 'itemId'>>(
  run: Quarantined,
  trials: readonly One[],
): { readonly counted: readonly One[]; readonly quarantined: readonly One[] } {
  if (run.quarantine === undefined) return { counted: trials, quarantined: [] }
  const items = quarantinedItems(run)
  const isOut = ({ itemId }: One) => items.has(itemId)
  return { counted: trials.filter((one) => !isOut(one)), quarantined: trials.filter(isOut) }
}

/** The items that two runs count differently: in quarantine in one of them, or with other judges that do not count. */
export function countedApart(one: Quarantined, other: Quarantined): ReadonlySet<string> {
  const [mine, theirs] = [one, other].map(({ quarantine = [] }) => judgesByItem(quarantine)) as [Judges, Judges]
  const items = new Set([...mine.keys(), ...theirs.keys()])
  const whole = new Set([...quarantinedItems(one), ...quarantinedItems(other)])
  return new Set([...items].filter((item) => whole.has(item) || mine.get(item) !== theirs.get(item)))
}

type Judges = ReadonlyMap<string, string>

function judgesByItem(entries: readonly QuarantineEntry[]): Judges {
  const byItem = groupBy(entries, ({ item }) => item)
  return new Map([...byItem].map(([item, own]) => [item, JSON.stringify(own.map(({ judge = '' }) => judge).sort())]))
}

/** Why a trial does not count, or one of its judges; `undefined`: all of it counts. */
export function quarantineOf({ quarantine = [] }: Quarantined, itemId: string): QuarantineEntry | undefined {
  return quarantine.find(({ item }) => item === itemId)
}

/** Why an item, or one of its judges, counts nowhere, in one line; `''`: all of it counts. */
export function quarantineReason(run: Quarantined, itemId: string): string {
  const entry = quarantineOf(run, itemId)
  if (entry === undefined) return ''
  const { judge, until, owner, reason } = entry
  return `${judge === undefined ? '' : `${judge} `}in quarantine until ${until} (${owner}): ${reason}`
}

/** How many trials of a run count nowhere, such as `4 trials, in no rate: 96 % with them`; `''`: none. */
export function quarantineText({ quarantined }: Pick<Summary, 'quarantined'>): string {
  if (quarantined === null) return ''
  return `${counted(quarantined.trials, 'trial')}, in no rate: ${percent(quarantined.passRateWithThem)} with them`
}
