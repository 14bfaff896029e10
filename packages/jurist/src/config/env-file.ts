import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { usageInvalid } from './problems.js'

/**
 * Adds the `NAME=value` lines of a file to the environment of this process; variables that are set already win.
 *
 * @throws `usage-invalid` when the file cannot be read
 */
export async function readEnvFile(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw usageInvalid('--env-file', `The file of variables ${path} cannot be read. Give a file of NAME=value lines.`)
  })
  for (const [name, value] of Object.entries(parseEnv(text)))
    if (process.env[name] === undefined && value !== undefined) process.env[name] = value
}
