import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { diskFailure, onDisk } from './disk-failure.js'

/** How files are written: whether to wait for the disk, and where temporary files stand. */
export interface Writing {
  readonly sync: boolean
  /** A directory of the same file system, whose old temporary files somebody removes. */
  readonly temporary: string
}

/**
 * Replaces a file at one moment: a temporary file is written and synced, renamed, and the directory synced. A reader
 * sees the old text or the new one; after a crash too.
 *
 * @throws `store-failed`
 */
export async function replaceFile(path: string, text: string, writing: Writing): Promise<void> {
  const temporary = temporaryPath(writing.temporary, basename(path))
  try {
    await writeNewFile(temporary, text, writing.sync)
    await rename(temporary, path)
    if (writing.sync) await syncDirectory(join(path, '..'))
  } catch (thrown) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw diskFailure('write', path, thrown)
  }
}

/** Writes a file that must not exist, and waits for the disk when asked to. */
export async function writeNewFile(path: string, text: string, sync: boolean): Promise<void> {
  const handle = await open(path, 'wx')
  try {
    await handle.writeFile(text)
    if (sync) await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes the entries of a directory durable, where the system can do that: Windows cannot, and need not. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A path that nobody else uses, which `removeOldTemporaries` knows as temporary. */
export function temporaryPath(directory: string, name: string): string {
  return join(directory, `${name}.${randomBytes(6).toString('hex')}.tmp`)
}

const dayMs = 24 * 60 * 60 * 1_000

/** Removes what writers that died left in a directory more than a day ago. */
export async function removeOldTemporaries(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.tmp')) continue
    const path = join(directory, name)
    // Somebody else may remove it at the same time.
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > dayMs) await rm(path, { recursive: true, force: true })
  }
}

/** Makes a directory and those above it, durably when asked to; `store-failed` when something is in the way. */
export async function makeDirectory(directory: string, sync: boolean): Promise<void> {
  await onDisk('make the directory', directory, async () => {
    const first = await mkdir(directory, { recursive: true })
    if (first === undefined || !sync) return
    for (let made = directory; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made))
  })
}
