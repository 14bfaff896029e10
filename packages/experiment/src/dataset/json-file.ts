import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { leavesThroughLink } from './contained.js'
import { parseJson } from './json-text.js'
import type { Spot } from './problem.js'

/**
 * The value of the JSON file that `spot` names below `root`. `undefined`, which no JSON value is, after anything wrong was
 * reported.
 */
export async function readJsonFile(root: string, spot: Spot): Promise<unknown> {
  const refuse = (problem: string, remedy: string): undefined => {
    spot.report({ file: spot.file, item: spot.item, field: null, problem, remedy })
  }
  const path = join(root, spot.file)
  if (leavesThroughLink(root, path)) return refuse('leaves the dataset through a link.', 'Put the file itself there.')
  const bytes = await readFile(path).catch((thrown: unknown) => failureOf(thrown))
  if (!(bytes instanceof Uint8Array)) {
    if (bytes.code === 'ENOENT' || bytes.code === 'ENOTDIR')
      return refuse('is missing.', 'Add it, or take away what refers to it.')
    return refuse(`cannot be read: ${bytes.message}.`, 'Make it a readable file.')
  }
  const text = utf8(bytes)
  if (text === undefined) return refuse('is not UTF-8.', 'Save it as UTF-8.')
  const reading = parseJson(text)
  if (reading.ok) return reading.value
  return refuse(`is not JSON: line ${reading.line}, column ${reading.column}: ${reading.problem}.`, 'Correct it there.')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Bytes as text, a leading byte order mark removed; `undefined` when they are no UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
