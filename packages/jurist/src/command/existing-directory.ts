import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { usageInvalid } from '../config/problems.js'

/**
 * The absolute path of a directory that an argument names.
 *
 * @param cwd what the argument is relative to
 * @throws `usage-invalid` naming the argument when there is none, or a file in its place
 */
export async function existingDirectory(given: string, argument: string, cwd: string): Promise<string> {
  const path = resolve(cwd, given)
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return path
  throw usageInvalid(argument, `${given} is ${found === undefined ? 'missing' : 'a file'}. Give a directory.`)
}
