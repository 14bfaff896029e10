/**
 * Whether a path matches one of some globs, as the options of judges read them: `**` crosses directories, and names with a
 * leading dot match too.
 *
 * @example
 * const isTest = await globMatcher(['tests/**'])
 * isTest('tests/deep/a.test.js') // true
 */
export async function globMatcher(globs: readonly string[]): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import('picomatch')
  return picomatch([...globs], { dot: true, nonegate: true })
}
