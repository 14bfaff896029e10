import type { JournalEvent, Judgment } from '@jurist/core'
import type { Trajectory } from '../journal/trajectory.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { trialText } from '../result/trial-figures.js'

/** Where a gap is. Ties are broken in this order. */
export type GapCategory =
  | 'execution'
  | 'planning'
  | 'knowledge'
  | 'tooling'
  | 'analysis'
  | 'criteria'
  | 'evaluation'
  | 'stochasticity'
  | 'environment'

/** One thing that went wrong in a trial, for rules to explain. */
export interface DiagnosticInput {
  readonly item: ItemResult
  /** Where in the verdict; `''`: the trial was not judged. */
  readonly path: string
  /** The judgment that did not pass; of a trial that was not judged, its failure. */
  readonly judgment: Judgment
  /** The name of the failed check; `null`: the judgment as a whole. */
  readonly check: string | null
  /** The actions of the agent; `null` if they are unknown. */
  readonly trajectory: Trajectory | null
  /** The run of the trial. */
  readonly run?: ExperimentResult
  /** All runs that are diagnosed together. */
  readonly results?: readonly ExperimentResult[]
  /** The journal of the trial, or its phases. */
  readonly events?: readonly JournalEvent[]
}

/** Explains problems of trials. Rules are tried in order; the first that finds something decides. */
export interface DiagnosticRule {
  readonly id: string
  readonly description: string
  readonly category: GapCategory
  match(input: DiagnosticInput): readonly Finding[]
  /** The remedy for findings of this rule. Without this function they have none. */
  readonly remedy?: (finding: Finding) => Omit<Remediation, 'sources'>
}

/** A finding of a rule. `category` and `rule` are `null` if no rule resolves it. */
export interface Finding {
  readonly itemId: string
  readonly repetition: number
  readonly path: string
  readonly check: string | null
  readonly category: GapCategory | null
  readonly rule: string | null
  readonly message: string
}

/** A remedy for findings. */
export interface Remediation {
  /** The part to change: `agent`, `prompt`, `jury`, … */
  readonly target: string
  readonly action: 'add' | 'change' | 'remove' | 'investigate'
  readonly summary: string
  readonly detail: string
  readonly confidence: 'low' | 'medium' | 'high'
  /** The findings behind it, each as `<item>#<repetition><path>`, such as `fix-1#2/rules/build`. */
  readonly sources: readonly string[]
}

/** The problems of some runs, their confidence, and remedies. */
export interface Diagnosis {
  readonly runs: number
  readonly findings: readonly Finding[]
  /** Over findings with a category. */
  readonly distribution: Readonly<Record<GapCategory, { readonly count: number; readonly fraction: number }>>
  readonly dominant: GapCategory | null
  /** Trial by trial, in the order of the runs. */
  readonly perItem: Readonly<Record<string, ItemDiagnosis>>
  /** Stable items of those with two outcomes or more; `null` without such items. */
  readonly stability: number | null
  /** Those with the most findings behind them first. */
  readonly remediations: readonly Remediation[]
  readonly unresolved: readonly Finding[]
  readonly warnings: readonly string[]
}

/** One item over all its trials. */
export interface ItemDiagnosis {
  readonly dominant: readonly (GapCategory | null)[]
  readonly outcomes: readonly (boolean | null)[]
  /** Whether both are the same in all trials. */
  readonly stable: boolean
}

/** How a finding is named among the sources of a remedy: `fix-1#2/rules/build`. */
export function sourceOf({ itemId, repetition, path }: Pick<Finding, 'itemId' | 'repetition' | 'path'>): string {
  return `${trialText({ itemId, repetition })}${path}`
}
