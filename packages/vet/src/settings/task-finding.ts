/** Something about the files of a task. A `defect` makes its verdicts wrong; a `note` may, which only running tells. */
export interface TaskFinding {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly check: TaskCheckName
  readonly level: 'defect' | 'note'
  readonly what: string
  readonly remedy: string
}

/** The findings in the files of a task. */
export interface TaskFindings {
  readonly findings: readonly TaskFinding[]
  /** Files that cannot be read, with the reason: nothing is said of them. */
  readonly notChecked: readonly { readonly file: string; readonly reason: string }[]
}

/** The name of a check of the files of a task. */
export type TaskCheckName =
  | 'writable-verifier'
  | 'unconditional-reward'
  | 'no-reward-on-failure'
  | 'truth-in-image'
  | 'reference-reads-truth'
  | 'solution-in-image'
  | 'compiled-leak'
  | 'guard-in-reach'
  | 'plantable-hook'
  | 'helper-in-image'
  | 'wall-clock'
  | 'self-consistent'
  | 'name-decides'
  | 'literals-only'
  | 'empty-check'
  | 'hidden-demand'
  | 'no-limit'
  | 'runtime-install'
