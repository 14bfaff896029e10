import { checkRequired, type OptionRule, option } from '@jurist/core/internal'
import type { Construct, Words } from './language/construct.js'

/** Where an operator may change a source. */
export interface MutationSite extends Construct {
  /** Such as `javascript`, `python`, `java`, `go`. */
  readonly language: string
  /** The source of the construct. */
  readonly text: string
  /** The sources of its `parts`. */
  readonly partTexts: readonly string[]
  /** How the language writes what mutants need. */
  readonly words: Words
}

/** A part of a source that is replaced. Offsets are those of the site. */
export interface SourceEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A small mistake that people make. */
export interface Operator {
  /** Letters, digits, `-`. */
  readonly name: string
  /** What it changes, as a sentence. */
  readonly what: string
  /** What it makes of a piece of code; a string replaces all of it. Nothing: it does not apply. */
  edits(site: MutationSite): readonly (string | SourceEdit)[]
}

const rules: { readonly [part in keyof Required<Operator>]: OptionRule } = {
  name: {
    wants: 'letters, digits and "-"',
    holds: (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  },
  what: { wants: 'a sentence', holds: (value) => typeof value === 'string' && value.trim() !== '' },
  edits: option.function,
}

/**
 * An operator of your own, checked and frozen, for `mutants` and `runMutants`.
 *
 * @throws `option-invalid` naming the part that is missing or wrong
 *
 * @example
 * import { defineOperator } from '@jurist/vet'
 *
 * const rounding = defineOperator({
 *   name: 'rounding',
 *   what: 'Math.round becomes Math.floor.',
 *   edits: ({ kind, name, nameAt }) =>
 *     kind === 'call' && name === 'round' && nameAt !== undefined ? [{ ...nameAt, text: 'floor' }] : [],
 * })
 */
export function defineOperator(operator: Operator): Operator {
  return Object.freeze(checkRequired('defineOperator', operator, rules, ['name', 'what', 'edits']))
}
