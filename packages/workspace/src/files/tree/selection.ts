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
  const only = options.only === undefined ? undefined : matcher(options.only)
  return {
    file: (path) => !ignored.ignores(path) && (only?.ignores(path) ?? true),
    directory: (path) => !ignored.ignores(`${path}/`),
  }
}

function matcher(patterns: readonly string[]) {
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns)
}
