import { lstatSync } from 'node:fs'
import { join } from 'node:path'

/** Lines of a patch that name a file. */
const naming = /^(?:(?:---|\+\+\+|\*\*\*|Index:) |(?:rename|copy) (?:from|to) |diff --git )/

/**
 * Whether `patch` may be given a patch: every file that it names is in the workspace, not in a `.git`, and no link leads to
 * it. `patch` itself checks less than git does.
 */
export function namesOnlyPlainFiles(patch: string, root: string): boolean {
  const lines = patch.split('\n').filter((line) => naming.test(line))
  return lines.length > 0 && lines.flatMap(namesIn).every((name) => isPlain(name, root))
}

/** The names in such a line. With `-p1` the first part of a name is not used, but for renamed files. */
function namesIn(line: string): readonly string[] {
  const rest = line.replace(naming, '')
  if (line.startsWith('diff --git ')) return rest.split(' ')
  return [rest.split('\t', 1)[0] ?? '']
}

function isPlain(name: string, root: string): boolean {
  const path = name.replace(/\r$/, '').trim()
  if (path === '/dev/null') return true
  const parts = path.split('/')
  if (path.startsWith('/') || /["\\\0]/.test(path)) return false
  if (parts.some((part) => part === '..' || part.toLowerCase() === '.git')) return false
  return [parts, parts.slice(1)].every((some) => !leadsThroughLink(some, root))
}

function leadsThroughLink(parts: readonly string[], root: string): boolean {
  return parts.some((_, at) => {
    const place = join(root, ...parts.slice(0, at + 1))
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
  })
}
