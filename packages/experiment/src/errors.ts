import type { Json, JsonObject } from '@jurist/core'
import type { DatasetProblem } from './dataset/problem.js'

/** A problem with the options of an experiment. */
export interface ExperimentIssue {
  /** The path of the option, such as `variants.small.model`. */
  readonly field: string
  /** Follows the field in a message, such as `must be a string (got 3).` */
  readonly problem: string
  /** The action that solves the problem. */
  readonly remedy: string
}

declare module '@jurist/core' {
  interface Problems {
    'usage-invalid': { readonly argument: string }
    'dataset-invalid': { readonly path: string; readonly issues: readonly DatasetProblem[] }
    'experiment-invalid': { readonly issues: readonly ExperimentIssue[] }
    'item-unknown': { readonly id: string; readonly known: readonly string[] }
    'run-unknown': { readonly id: string }
    'run-locked': { readonly id: string; readonly holder: JsonObject }
    'run-mismatch': {
      readonly id: string
      readonly differences: readonly ConditionDifference[]
      /** The message without its last sentence, where that is to restore the conditions or to start a new run. */
      readonly problem?: string
    }
    'store-failed': {
      readonly path: string
      /** The message without its last sentence, where that is to make room: the disk or its quota is full. */
      readonly diskFull?: string
    }
    'record-invalid': { readonly path: string; readonly pointer: string }
    'certificate-invalid': { readonly issues: readonly string[] }
    'certificate-stale': { readonly tiers: readonly { readonly tier: string; readonly problem: string }[] }
    'label-file-invalid': { readonly path: string; readonly problems: readonly string[] }
    'conditions-differ': { readonly differences: readonly ConditionDifference[] }
    'git-dirty': { readonly files: readonly string[] }
    'setup-failed': { readonly command: string; readonly output: string }
    'statistic-invalid': { readonly statistic: string }
    'tier-unknown': { readonly tier: string; readonly known: readonly string[] }
  }
}

/** One measurement condition that two runs do not share. `undeclared`: only one of them states it. */
export interface ConditionDifference {
  readonly condition: string
  readonly baseline: Json
  readonly candidate: Json
  readonly reason: 'differs' | 'undeclared'
  /** Whether the caller allowed this condition to differ. */
  readonly allowed: boolean
}
