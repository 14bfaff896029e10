import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { JuristError } from '@jurist/core'
import { isRefusedFile } from '@jurist/kit/regular-file'
import { shown } from './names.js'

/** How files are written: whether to wait for the disk, and where temporary files are. */
export interface Writing {
  readonly sync: boolean
  /** A directory of the same file system, whose old temporary files are removed. */
  readonly temporary: string
}

/**
 * Replaces a file in one step: a temporary file is written and synced, renamed, and the directory synced. A reader sees
 * either the old or the new content, also after a crash.
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

/** A path that nothing else uses, which `removeOldTemporaries` knows as temporary. */
export function temporaryPath(directory: string, name: string): string {
  return join(directory, `${name}.${randomBytes(6).toString('hex')}.tmp`)
}

const dayMs = 24 * 60 * 60 * 1_000

/** Removes files that were left by dead writers more than a day ago. */
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

const elsewhere = 'Make it writable for this user, or choose another results directory.'

const makeRoom = 'Free some space, then resume.'

/** Explanations and remedies by error code of the operating system. */
const reasons: { readonly [code: string]: readonly [reason: string, remedy: string] } = {
  ENOSPC: ['no space left', makeRoom],
  EDQUOT: ['the disk quota is used up', makeRoom],
  EACCES: ['permission denied', elsewhere],
  EPERM: ['permission denied', elsewhere],
  EROFS: ['the file system is read-only', 'Choose another results directory.'],
  ENOTDIR: ['a part of the path is a file', 'Choose a directory for the results, or move the file away.'],
  EEXIST: ['there is a file of this name', 'Choose a directory for the results, or move the file away.'],
  EISDIR: ['there is a directory of this name', 'Move it away.'],
  ENAMETOOLONG: ['the path is too long', 'Choose a results directory with a shorter path.'],
  EMFILE: ['too many files are open', 'Raise the limit (ulimit -n), or lower the concurrency.'],
  ENFILE: ['too many files are open on this machine', 'Lower the concurrency.'],
}

/** The error code of the operating system in anything thrown. */
export function systemCode(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Whether an exception means that a file or directory does not exist. */
export function isMissing(thrown: unknown): boolean {
  return systemCode(thrown) === 'ENOENT'
}

/** Whether there can be nothing at a path: it is not there, or leads through a file. */
export function isNowhere(thrown: unknown): boolean {
  return isMissing(thrown) || systemCode(thrown) === 'ENOTDIR'
}

/** The result of reading the disk; `undefined` when there is nothing to read. */
export async function ifThere<Value>(
  asked: Promise<Value>,
  isNothing: (thrown: unknown) => boolean = isMissing,
): Promise<Value | undefined> {
  try {
    return await asked
  } catch (thrown) {
    if (isNothing(thrown)) return undefined
    throw thrown
  }
}

/**
 * Converts an error of the disk to `store-failed` with the path, the reason and the remedy. Returns an error of Jurist
 * unchanged.
 *
 * @param verb what was tried, such as `'write'`
 * @param note a further sentence, such as what is safe
 */
export function diskFailure(verb: string, path: string, thrown: unknown, note?: string): JuristError {
  if (JuristError.is(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const otherwise = [message, isRefusedFile(thrown) ? 'Move it away.' : 'Check the disk, then resume.'] as const
  const [reason, remedy] = reasons[systemCode(thrown) ?? ''] ?? otherwise
  const problem = [`Could not ${verb} ${shown(path)}: ${reason}.`, note].filter(Boolean).join(' ')
  const details = { path, ...(remedy === makeRoom ? { diskFull: problem } : {}) }
  return new JuristError('store-failed', `${problem} ${remedy}`, details, { cause: thrown })
}

/** Runs `action` and converts errors of the disk to `store-failed`. */
export async function onDisk<Value>(verb: string, path: string, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action()
  } catch (thrown) {
    throw diskFailure(verb, path, thrown)
  }
}
