/** Absolute if the path is outside the root. Does not follow symbolic links. */
export function fromRoot(root: string | undefined, path: string): string {
  const absolute = absolutePath(root, path)
  if (root === undefined || absolute === undefined) return path
  const base = segmentsOf(root).join('/')
  if (absolute === base) return '.'
  return absolute.startsWith(`${base}/`) ? absolute.slice(base.length + 1) : `/${absolute}`
}

/** Compares names only. */
export function isInside(root: string, path: string): boolean {
  const seen = fromRoot(root, path)
  return !seen.startsWith('/')
}

/** Normalized, without a leading slash; `undefined` for a relative path without a root. */
function absolutePath(root: string | undefined, path: string): string | undefined {
  if (/^(\/|[A-Za-z]:[\\/])/.test(path)) return segmentsOf(path).join('/')
  return root === undefined ? undefined : segmentsOf(`${root}/${path}`).join('/')
}

function segmentsOf(path: string): readonly string[] {
  const segments: string[] = []
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}

/** A path outside adds a warning. */
export function pathsFromRoot(
  root: string | undefined,
  paths: readonly string[],
  warnings: string[],
): readonly string[] {
  return paths.map((path) => {
    const seen = fromRoot(root, path)
    if (seen.startsWith('/')) warnings.push(`outside-workspace: ${seen}`)
    return seen
  })
}
