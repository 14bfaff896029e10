import { isPlainObject, type OptionRule } from '@jurist/core/internal'

/** How the alternative annotator test is made (Calderon, Reichart and Dror 2025). */
export interface AltTestOptions {
  /**
   * What a person's time is worth: by how much the judge may win less often than the annotator whose place it takes. The
   * paper gives 0.2 for experts, 0.15 for skilled annotators and 0.1 for crowd workers. Default 0.2.
   */
  readonly epsilon?: number
  /** The false discovery rate over the annotators. Default 0.05. */
  readonly q?: number
  /** Annotators with fewer items are left out. Default 30. */
  readonly minimumItems?: number
}

/** The options with their defaults. */
export type AltTestSettings = Required<AltTestOptions>

const rules: { readonly [name in keyof AltTestSettings]: (value: unknown) => boolean } = {
  epsilon: (value) => typeof value === 'number' && Number.isFinite(value),
  q: (value) => typeof value === 'number' && value > 0 && value < 1,
  minimumItems: (value) => Number.isSafeInteger(value) && (value as number) > 0,
}

/** The rule of the option `altTest`. */
export const altTestRule: OptionRule = {
  wants: '{ epsilon, q, minimumItems }: a number, a number between 0 and 1, and a whole number of at least 1',
  holds: (value) =>
    isPlainObject(value) &&
    Object.entries(value).every(([name, given]) =>
      Object.hasOwn(rules, name) ? given === undefined || rules[name as keyof AltTestSettings](given) : false,
    ),
}

/** Options that hold, with their defaults. */
export function altTestSettings({ epsilon = 0.2, q = 0.05, minimumItems = 30 }: AltTestOptions = {}): AltTestSettings {
  return { epsilon, q, minimumItems }
}
