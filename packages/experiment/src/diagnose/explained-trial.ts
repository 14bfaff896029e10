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
 * Diagnoses one trial together with the others of its run; of a large run, alone. A trial that passed has no findings.
 *
 * @param journal reads the journal of the trial; those of others are not read
 */
export async function explainedTrial(
  run: RunResult,
  item: ItemResult,
  journal: ReadJournal,
): Promise<readonly ExplainedFinding[]> {
  if (item.passed === true) return []
  const name = trialText(item)
  const beside = run.counts.run <= mostTrials ? await resultWithItems(run) : { ...run, items: [item] }
  const { findings, remediations } = await diagnose([beside], {
    journals: async (one) => (trialText(one) === name ? journal(one) : []),
  })
  const known = new Set<string>()
  return findings.flatMap((finding): readonly ExplainedFinding[] => {
    const { category, message, rule } = finding
    if (category === null) return []
    const remedy = remediations.find(({ sources }) => sources.includes(sourceOf(finding)))?.summary ?? null
    const key = `${category} ${remedy ?? message}`
    if (trialText(finding) !== name || rule === 'unstable-item' || known.has(key)) return []
    known.add(key)
    return [{ category, message, remedy }]
  })
}

/** Diagnoses a run as a whole; `null` where nothing failed, or the run has too many trials for a glance. */
export async function explainedRun(run: RunResult, journals: ReadJournal): Promise<Diagnosis | null> {
  if (run.counts.run > mostTrials || run.counts.passes === run.counts.run) return null
  return diagnose([await resultWithItems(run)], { journals })
}
