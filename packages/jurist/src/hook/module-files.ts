import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const specifiers = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g
/** What a specifier may name: a file, a module without its ending, a source of a JavaScript file, a directory. */
const endings = ['', '.ts', '.mts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js']
const maxFiles = 2_000

/**
 * A module and the files that it imports by relative paths, read from their text. Node does not tell which modules it loaded
 * itself.
 */
export function moduleFiles(file: string): readonly string[] {
  const found = new Set([file])
  for (const path of found) {
    if (found.size > maxFiles) break
    for (const [, specifier = ''] of (textOf(path) ?? '').matchAll(specifiers)) {
      const target = fileNamed(resolve(dirname(path), specifier))
      if (target !== undefined) found.add(target)
    }
  }
  return [...found]
}

function fileNamed(path: string): string | undefined {
  const source = path.replace(/js$/, 'ts')
  return [...endings.map((ending) => `${path}${ending}`), source].find(
    (one) => statSync(one, { throwIfNoEntry: false })?.isFile() === true,
  )
}

/** The text of a file; `undefined` for one that cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
