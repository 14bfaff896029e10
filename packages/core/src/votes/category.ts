import type { Judgment } from '../judgment.js'

/** The category of a judgment: the label of a categorical score, else its status. */
export function categoryOf({ score, status }: Judgment): string {
  return score?.type === 'categorical' ? score.value : status
}

/** The categories that a judgment could have had. */
export function categoriesOf({ score }: Judgment): readonly string[] {
  return score?.type === 'categorical' ? score.allowed : ['pass', 'fail']
}
