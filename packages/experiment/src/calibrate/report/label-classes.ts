import type { LabelRange } from '../scorer-kind.js'

/** The classes that the labels of a calibration fall into. */
export interface LabelClasses {
  /** The class of what a scorer says was expected or predicted. */
  readonly of: (text: string) => string
  /** The class of a label as it was written; `null`: it is none. */
  readonly ofLabel: (label: string) => string | null
  /** Classes that are there even when no trial is in them, in their order; `null`: whatever occurs, sorted. */
  readonly fixed: readonly string[] | null
}

/** What decides about classes. */
export interface LabelScale {
  /** The range of labels that are numbers; `null`: they are names. */
  readonly numeric: LabelRange | null
  readonly ordinal: readonly string[] | null
  readonly aliases: Readonly<Record<string, string>>
}

const below = 'below 0.5'
const atOrAbove = 'at or above 0.5'
const accident = 1e-9

/** The classes of a scale: its names, the names of `ordinal`, or of numbers two halves. */
export function labelClasses({ numeric, ordinal, aliases }: LabelScale): LabelClasses {
  if (numeric !== null) return numberClasses(numeric, ordinal)
  const spelling = new Map((ordinal ?? []).map((label) => [label.toLowerCase(), label]))
  const of = (text: string) => spelling.get(text.toLowerCase()) ?? text
  function ofLabel(label: string): string {
    const word = label.trim().toLowerCase()
    return of((Object.hasOwn(aliases, word) ? aliases[word] : undefined) ?? word)
  }
  return { of, ofLabel, fixed: ordinal }
}

/** With `ordinal` its labels stand at equal distances over the range, and a number belongs to the nearest. */
function numberClasses({ min, max }: LabelRange, ordinal: readonly string[] | null): LabelClasses {
  const last = (ordinal?.length ?? 0) - 1
  const ofNumber = (value: number) =>
    ordinal?.[Math.round(Math.min(1, Math.max(0, value)) * last)] ?? (value + accident >= 0.5 ? atOrAbove : below)
  return {
    of: (text) => ofNumber(Number(text)),
    ofLabel(label) {
      const value = (Number(label) - min) / (max - min)
      return label.trim() !== '' && value >= 0 && value <= 1 ? ofNumber(value) : null
    },
    fixed: ordinal ?? [below, atOrAbove],
  }
}
