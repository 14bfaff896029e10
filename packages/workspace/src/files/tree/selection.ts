import ignore from 'ignore'
import type { Selection } from './file-tree.js'

/**
 * Which paths count: all but the ignored ones, and with `only` no others than those. Both lists are in gitignore
 * syntax, and case counts.
 */
export function selectionOf(options: {
  readonly ignore: readonly string[]
  readonly only?: readonly string[]
}): Selection {
  const ignored = matcher(options.ignore)
  const only = options.only && ignore({ ignorecase: false, allowRelativePaths: true }).add(options.only)
  return {
    file: (path) => !ignored.ignores(path) && (only?.ignores(path) ?? true),
    directory: (path) => !ignored.ignores(`${path}/`),
  }
}

/**
 * Whether a path matches, by the last segment alone where all patterns are plain names (as those of `defaultIgnore` are):
 * a walk has asked about the directories above before it comes to a path, and asking the library takes longer than
 * comparing a small file.
 */
function matcher(patterns: readonly string[]): { ignores(path: string): boolean } {
  const library = ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns)
  const names = patterns.map((pattern) => /^\/?([\w.-]+)\/?$/.exec(pattern)?.[1])
  if (!names.every((name) => name !== undefined)) return library
  const plain = new Set(names)
  return { ignores: (path) => plain.has(lastSegment(path)) && library.ignores(path) }
}

function lastSegment(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}
