/** One thing that is wrong with a dataset, or odd about it. */
export interface DatasetProblem {
  /** The file or directory, relative to the dataset. */
  readonly file: string
  /** The id of the item, where one is concerned. */
  readonly item: string | null
  /** Where in the file, such as `items[3].status` or `line 7`; `null`: the file as a whole. */
  readonly field: string | null
  readonly problem: string
  /** What to do about it. */
  readonly remedy: string
  /** An `error` keeps a run from starting; a `warning` does not. */
  readonly severity: 'error' | 'warning'
}
