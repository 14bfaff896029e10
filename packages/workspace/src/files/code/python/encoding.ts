import type { SyntaxProblem } from '../../comparator.js'

const declaration = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/
const blankOrComment = /^[ \t\f]*(?:#|$)/

/**
 * Why a source whose first lines declare another encoding than UTF-8 cannot be read: what is a comment to us could be
 * code to Python. `undefined` when there is no such declaration.
 *
 * @example
 * encodingProblem('# -*- coding: utf-7 -*-') // { message: 'the encoding "utf-7" is not UTF-8', line: 1 }
 */
export function encodingProblem(source: string): SyntaxProblem | undefined {
  for (const [index, line] of source.split('\n', 2).entries()) {
    const name = declaration.exec(line)?.[1]
    if (name !== undefined) {
      if (/^utf[-_]?8(?:[-_](?:sig|unix))?$/i.test(name)) return undefined
      return { message: `the encoding "${name}" is not UTF-8`, line: index + 1 }
    }
    if (!blankOrComment.test(line)) return undefined
  }
  return undefined
}
