import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'

/**
 * The error for a wrong argument of a command, which ends it with exit code 2.
 *
 * @param argument the flag or the argument, such as `--since`
 * @param message what is wrong, where, and what to do
 *
 * @example
 * import { usageInvalid } from 'jurist/plugin'
 *
 * throw usageInvalid('--tag', '--tag must not be empty. Leave it out for all runs.')
 */
export function usageInvalid(argument: string, message: string): JuristError<'usage-invalid'> {
  return new JuristError('usage-invalid', message, { argument })
}

/**
 * The absolute path of a directory argument.
 *
 * @param cwd what the argument is relative to
 * @throws `usage-invalid` with the name of the argument when the path is missing or a file
 *
 * @example
 * import { existingDirectory } from 'jurist/plugin'
 *
 * const source = await existingDirectory('src', '--source', process.cwd())
 */
export async function existingDirectory(given: string, argument: string, cwd: string): Promise<string> {
  const path = resolve(cwd, given)
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return path
  throw usageInvalid(argument, `${given} is ${found === undefined ? 'missing' : 'a file'}. Give a directory.`)
}
