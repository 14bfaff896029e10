import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const form = /^[\w-]{32}$/

/**
 * The secret in the address of the page. It is kept in a file that only the user can read, so that an open page goes on
 * working when the server is started again; where no file can be kept, each start has its own.
 */
export async function viewToken(): Promise<string> {
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  const directory = join(state, 'jurist')
  const file = join(directory, 'view-token')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (form.test(kept)) return kept
  const made = randomBytes(24).toString('base64url')
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeFile(file, `${made}\n`, { mode: 0o600 })
    await chmod(file, 0o600)
  } catch {
    // A home that cannot be written is no reason not to look at results.
  }
  return made
}
