import type { ExperimentResult } from '../result/records.js'
import type { Diagnosis, Finding, ItemDiagnosis } from './diagnosis.js'
import { dominantOf } from './distribution.js'

/** A trial with what was found in it. */
export interface DiagnosedTrial {
  readonly item: ExperimentResult['items'][number]
  readonly findings: readonly Finding[]
}

/** Each item over all its trials: why it failed, whether it passed, and whether that is always the same. */
export function perItemOf(trials: readonly DiagnosedTrial[]): Diagnosis['perItem'] {
  const byItem = new Map<string, DiagnosedTrial[]>()
  for (const trial of trials) {
    const same = byItem.get(trial.item.itemId)
    if (same === undefined) byItem.set(trial.item.itemId, [trial])
    else same.push(trial)
  }
  return Object.fromEntries([...byItem].map(([itemId, same]) => [itemId, diagnosisOf(same)]))
}

function diagnosisOf(trials: readonly DiagnosedTrial[]): ItemDiagnosis {
  const dominant = trials.map(({ findings }) => dominantOf(findings))
  const outcomes = trials.map(({ item }) => item.passed)
  return { dominant, outcomes, stable: new Set(dominant).size <= 1 && new Set(outcomes).size <= 1 }
}

/** The share of stable items among those with two outcomes or more. */
export function stabilityOf(perItem: Diagnosis['perItem']): number | null {
  const repeated = Object.values(perItem).filter(({ outcomes }) => outcomes.length > 1)
  return repeated.length === 0 ? null : repeated.filter(({ stable }) => stable).length / repeated.length
}

/** A finding for each item that ends differently from trial to trial. */
export function unstableFindings(perItem: Diagnosis['perItem']): readonly Finding[] {
  const unstable = Object.entries(perItem).filter(([, { stable, outcomes }]) => !stable && outcomes.length > 1)
  return unstable.map(([itemId, { outcomes }]) => {
    const passes = outcomes.filter((passed) => passed === true).length
    return {
      itemId,
      repetition: 1,
      path: '',
      check: null,
      category: 'stochasticity',
      rule: 'unstable-item',
      message: `${itemId} ends differently from trial to trial: ${passes} of ${outcomes.length} passed.`,
    }
  })
}
