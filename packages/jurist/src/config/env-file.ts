import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { usageInvalid } from './problems.js'

/**
 * Adds the `NAME=value` lines of a file to the environment of this process; variables that are set already win. Returns
 * whether the file is there.
 *
 * @throws `usage-invalid` when the file is there and cannot be read
 */
export async function readEnvFile(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    const problem = `The file of variables ${path} cannot be read: ${thrown.message}.`
    throw usageInvalid('--env-file', `${problem} Give a file of NAME=value lines.`)
  })
  if (text === undefined) return false
  for (const [name, value] of Object.entries(parseEnv(text)))
    if (process.env[name] === undefined && value !== undefined) process.env[name] = value
  return true
}

/**
 * As `readEnvFile`, for a file that has to be there.
 *
 * @throws `usage-invalid` when it is not
 */
export async function requireEnvFile(path: string): Promise<void> {
  if (await readEnvFile(path)) return
  throw usageInvalid('--env-file', `The file of variables ${path} does not exist. Make it, or leave the option out.`)
}
