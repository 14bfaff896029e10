import {
  described,
  finite,
  type OptionDescriptions,
  type OptionRule,
  objectOf,
  openRate,
  option,
} from '@jurist/core/internal'

/** How the alternative annotator test is made (Calderon, Reichart and Dror 2025). */
export interface AltTestOptions {
  /**
   * The value of a person's time: the margin by which the judge may win less often than the annotator whose place it
   * takes. The paper recommends 0.2 for experts, 0.15 for skilled annotators and 0.1 for crowd workers. Default 0.2.
   */
  readonly epsilon?: number
  /** The false discovery rate over the annotators. Default 0.05. */
  readonly q?: number
  /** Annotators with fewer items are left out. Default 30. */
  readonly minimumItems?: number
}

export type AltTestSettings = Required<AltTestOptions>

const altTestRules: OptionDescriptions<AltTestOptions> = {
  epsilon: described(
    finite,
    'By how much the judge may win less often than a person: 0.2 for experts, 0.1 for crowd workers.',
    0.2,
  ),
  q: described(openRate, 'The false discovery rate over the annotators.', 0.05),
  minimumItems: described(option.integer(1), 'Annotators with fewer items are left out.', 30),
}

export const altTestRule: OptionRule = objectOf(
  '{ epsilon, q, minimumItems }: a number, a number between 0 and 1, and a whole number of at least 1',
  altTestRules,
  ['epsilon', 'q', 'minimumItems'],
)

/** Fills in the defaults of checked options. */
export function altTestSettings({ epsilon = 0.2, q = 0.05, minimumItems = 30 }: AltTestOptions = {}): AltTestSettings {
  return { epsilon, q, minimumItems }
}
