import { type Language, languageOf } from './language.js'

/**
 * The language of every path: that of the first glob that matches, in the order of the keys, else what the name says.
 * A glob without `/` is matched with the last segment alone.
 */
export async function languageResolver(
  globs: { readonly [glob: string]: Language } | undefined,
): Promise<(path: string) => Language> {
  if (globs === undefined) return languageOf
  const { default: picomatch } = await import('picomatch')
  const rules = Object.entries(globs).map(([glob, language]) => ({
    language,
    matches: picomatch(glob, { dot: true, basename: !glob.includes('/') }),
  }))
  return (path) => rules.find(({ matches }) => matches(path))?.language ?? languageOf(path)
}
