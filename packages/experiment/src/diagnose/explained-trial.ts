import type { ItemResult } from '../result/records.js'
import { type RunResult, resultWithItems, trialText } from '../result/trial-figures.js'
import { diagnose, type ReadJournal } from './diagnose.js'
import { type Diagnosis, type Finding, type GapCategory, sourceOf } from './diagnosis.js'

/** Something that went wrong in a trial and that a rule explains, with what to do about it. */
export interface ExplainedFinding extends Pick<Finding, 'message'> {
  readonly category: GapCategory
  /** `null` if no rule has one. */
  readonly remedy: string | null
}

/** Whole runs with more trials would take seconds to read. */
const mostTrials = 2_000

/**
 * Diagnoses trials together with the others of their run; of a large run, without the others. A trial that passed has no
 * findings.
 *
 * @param journal reads the journals of these trials; those of others are not read
 * @returns the findings of each of the trials, by `trialText`
 */
export async function explainedTrials(
  run: RunResult,
  items: readonly ItemResult[],
  journal: ReadJournal,
): Promise<ReadonlyMap<string, readonly ExplainedFinding[]>> {
  const known = new Map(
    items.filter(({ passed }) => passed !== true).map((item) => [trialText(item), new Map<string, ExplainedFinding>()]),
  )
  if (known.size === 0) return new Map()
  const beside = run.counts.run <= mostTrials ? await resultWithItems(run) : { ...run, items }
  const { findings, remediations } = await diagnose([beside], {
    journals: async (one) => (known.has(trialText(one)) ? journal(one) : []),
  })
  for (const finding of findings) {
    const { category, message, rule } = finding
    if (category === null || rule === 'unstable-item') continue
    const remedy = remediations.find(({ sources }) => sources.includes(sourceOf(finding)))?.summary ?? null
    const ofTrial = known.get(trialText(finding))
    const key = `${category} ${remedy ?? message}`
    if (ofTrial?.has(key) === false) ofTrial.set(key, { category, message, remedy })
  }
  return new Map([...known].map(([name, ofTrial]) => [name, [...ofTrial.values()]]))
}

/** Diagnoses a run as a whole; `null` where nothing failed, or the run has too many trials for a glance. */
export async function explainedRun(run: RunResult, journals: ReadJournal): Promise<Diagnosis | null> {
  if (run.counts.run > mostTrials || run.counts.passes === run.counts.run) return null
  return diagnose([await resultWithItems(run)], { journals })
}
