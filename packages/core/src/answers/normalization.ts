import type { OptionRule } from '../options.js'

/** A difference to ignore when texts are compared. */
export type Normalization = 'unicode' | 'whitespace' | 'case' | 'punctuation' | 'articles'

const names: readonly Normalization[] = ['unicode', 'whitespace', 'case', 'punctuation', 'articles']

export const defaultNormalization: readonly Normalization[] = ['unicode', 'whitespace']

export const normalizationRule: OptionRule = {
  wants: `false, or an array of ${names.map((name) => JSON.stringify(name)).join(', ')}`,
  holds: (value) => value === false || (Array.isArray(value) && value.every((name) => names.includes(name))),
  schema: { anyOf: [{ const: false }, { type: 'array', items: { enum: names } }] },
}

/** Zero-width characters, soft hyphens, direction marks. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu

/** Also converts the text to Unicode's composed form (NFC). */
export function visibleText(text: string): string {
  return text.replace(invisible, '').normalize('NFC')
}

const steps: { readonly [name in Normalization]: (text: string) => string } = {
  unicode: visibleText,
  case: (text) => text.toLowerCase(),
  punctuation: (text) => text.replace(/[\p{P}\p{S}]+/gu, ''),
  articles: (text) => text.replace(/(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/giu, ' '),
  whitespace: (text) => text.trim().replace(/\s+/gu, ' '),
}

/** The order matters: punctuation may hide an article, and removed parts leave spaces. */
const order: readonly Normalization[] = ['unicode', 'case', 'punctuation', 'articles', 'whitespace']

/** Applying the normalizer twice changes nothing more. */
export function normalizer(given: false | readonly Normalization[] = defaultNormalization): (text: string) => string {
  const chosen = order.filter((name) => given !== false && given.includes(name))
  return (text) => chosen.reduce((result, name) => steps[name](result), text)
}
