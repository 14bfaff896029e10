import { JuristError } from '@jurist/core'

/** A word for a tool, or its options: last, at most once. */
export type Argument<Options> = string | Options

/** The words and the options of a call such as `buildSucceeds.maven('verify', { timeoutMs: 60_000 })`. */
export function splitArguments<Options extends object>(
  where: string,
  given: readonly Argument<Options>[],
): { readonly words: readonly string[]; readonly options: Options | undefined } {
  const last = given.at(-1)
  const options = typeof last === 'object' ? last : undefined
  const words = options === undefined ? given : given.slice(0, -1)
  if (words.every(isWord)) return { words: Object.freeze([...words]), options }
  throw new JuristError(
    'option-invalid',
    `${where}: give texts that are neither blank nor with NUL; options come last, once.`,
    { option: 'arguments' },
  )
}

function isWord(word: unknown): word is string {
  return typeof word === 'string' && word.trim() !== '' && !word.includes('\0')
}
