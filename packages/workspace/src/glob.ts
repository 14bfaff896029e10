/**
 * Matches paths of a workspace against globs, relative to its root or to the directory a command runs in. `**` crosses
 * directories, and names with a leading dot match too, unless `dot` is `false`.
 */
export async function globMatcher(
  globs: readonly string[],
  cwd = '.',
  options: { readonly nocase?: boolean; readonly dot?: boolean; readonly nonegate?: boolean } = {},
): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import('picomatch')
  const matches = picomatch([...globs], { dot: true, ...options })
  const below = cwd === '.' ? '' : `${cwd}/`
  return (path) => matches(path) || (path.startsWith(below) && matches(path.slice(below.length)))
}
