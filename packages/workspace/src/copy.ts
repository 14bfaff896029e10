import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { checkOptions, JuristError, option } from '@jurist/core'
import ignore, { type Ignore } from 'ignore'
import { isInside } from './containment.js'
import { type CloneMode, copyFile } from './copy-file.js'
import {
  type ProvisionedWorkspace,
  type ProvisionOptions,
  provisioned,
  provisionFailed,
  provisionRules,
} from './provision.js'

const maxCopyEntries = 200_000
const maxCopyBytes = 4 * 1024 ** 3
const sliceMs = 25

/**
 * A new empty directory.
 *
 * @example
 * await using workspace = await emptyDirectory()
 */
export async function emptyDirectory(options?: ProvisionOptions): Promise<ProvisionedWorkspace> {
  return provisioned(checkOptions('emptyDirectory', options, provisionRules), async () => ({ kind: 'empty' }))
}

export interface CopyOptions extends ProvisionOptions {
  /** What is left out, in the syntax of a `.gitignore`. Default `['.git/']`. */
  readonly ignore?: readonly string[]
  /** Default `'auto'`. */
  readonly clone?: CloneMode
  /**
   * What becomes of links that leave the directory, and of what is neither file, directory nor link: they make the copy
   * fail (the default), or are left out with a warning of the process.
   */
  readonly misfits?: 'refuse' | 'leave-out'
}

/**
 * A copy of a directory, without `.git/` unless `ignore` says otherwise. Modes and modification times are kept, and links
 * that stay inside; hard links become files of their own.
 *
 * @throws `path-escape` for a link that leaves `dir`, `provision-failed` for a FIFO, socket or device, or when storage
 * cannot be shared under `clone: 'reflink'`; `limit-exceeded` above 200,000 entries or 4 GiB, `not-found` when `dir` is no directory
 *
 * @example
 * await using workspace = await copyOf('fixtures/project')
 */
export async function copyOf(dir: string, options?: CopyOptions): Promise<ProvisionedWorkspace> {
  const given = checkOptions('copyOf', options, {
    ...provisionRules,
    ignore: option.strings,
    clone: option.oneOf('auto', 'reflink', 'copy'),
    misfits: option.oneOf('refuse', 'leave-out'),
  })
  const { ignore: left = ['.git/'], clone = 'auto', misfits = 'refuse', ...rest } = given
  const from = sourceOf(dir)
  return provisioned(rest, async (to) => {
    if (isInside(from, realpathSync(to))) throw provisionFailed(to, `it would lie inside ${dir}, which is copied`)
    const copying: Copying = {
      from,
      to,
      ignored: ignore().add([...left]),
      clone,
      misfit: misfits === 'refuse' ? refuse : leaveOut,
      signal: rest.signal,
      files: 0,
      bytes: 0,
      entries: 0,
      sliceEnd: 0,
    }
    await copyDirectory(copying, '')
    return { kind: 'copy', files: copying.files, bytes: copying.bytes }
  })
}

function sourceOf(dir: string): string {
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) {
    const real = realpathSync(dir)
    if (lstatSync(real).isDirectory()) return real
  }
  throw new JuristError('not-found', `${dir} is no directory that could be copied.`, { path: dir })
}

interface Copying {
  readonly from: string
  readonly to: string
  readonly ignored: Ignore
  readonly clone: CloneMode
  readonly misfit: (problem: JuristError) => void
  readonly signal: AbortSignal | undefined
  files: number
  bytes: number
  entries: number
  sliceEnd: number
}

/** Synchronous calls in slices: four times as quick as a promise a file, and the event loop still turns. */
async function copyDirectory(copying: Copying, under: string): Promise<void> {
  const { from, to, ignored } = copying
  for (const entry of readdirSync(join(from, under), { withFileTypes: true })) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (ignored.ignores(entry.isDirectory() ? `${path}/` : path)) continue
    if (++copying.entries > maxCopyEntries) throw tooMuch('entries', maxCopyEntries)
    if (entry.isFile()) copyCounted(copying, path)
    else if (entry.isSymbolicLink()) copyLink(copying, path)
    else if (entry.isDirectory()) {
      const target = join(to, path)
      mkdirSync(target)
      await copyDirectory(copying, path)
      const { mode, atime, mtime } = lstatSync(join(from, path))
      chmodSync(target, mode & 0o7777)
      utimesSync(target, atime, mtime)
    } else copying.misfit(notCopied(copying, path))
    await breathe(copying)
  }
}

function copyCounted(copying: Copying, path: string): void {
  const bytes = copyClosely(copying, path)
  if (bytes === undefined) {
    copying.misfit(notCopied(copying, path))
    return
  }
  copying.files += 1
  copying.bytes += bytes
  if (copying.bytes > maxCopyBytes) throw tooMuch('bytes', maxCopyBytes)
}

function copyClosely({ from, to, clone }: Copying, path: string): number | undefined {
  try {
    return copyFile(`${from}/${path}`, `${to}/${path}`, clone)
  } catch (thrown) {
    if (clone !== 'reflink') throw thrown
    throw provisionFailed(to, 'the file system cannot share storage; use clone "auto" or "copy"')
  }
}

function refuse(problem: JuristError): never {
  throw problem
}

function leaveOut({ message }: JuristError): void {
  process.emitWarning(`${message} It was left out.`, 'JuristWarning')
}

function notCopied({ to }: Copying, path: string): JuristError<'provision-failed'> {
  return provisionFailed(to, `${path} is neither a file, a directory nor a link`)
}

function copyLink({ from, to, misfit }: Copying, path: string): void {
  const target = readlinkSync(join(from, path))
  const lands = resolve(from, dirname(path), target)
  const leaves = isAbsolute(target) || !isInside(from, lands) || leavesThroughLinks(from, path)
  if (leaves) {
    const problem = `${path} is a link that leaves the directory: ${relative(from, lands)}.`
    misfit(new JuristError('path-escape', problem, { path }))
  } else symlinkSync(target, join(to, path))
}

/** A link may also leave by way of another one. A broken link leads nowhere. */
function leavesThroughLinks(from: string, path: string): boolean {
  try {
    return !isInside(from, realpathSync(join(from, path)))
  } catch {
    return false
  }
}

async function breathe(copying: Copying): Promise<void> {
  const now = performance.now()
  if (now < copying.sliceEnd) return
  if (copying.sliceEnd > 0) await setImmediate()
  copying.sliceEnd = performance.now() + sliceMs
  const { signal } = copying
  if (signal?.aborted) throw new JuristError('aborted', 'Copying was stopped.', { reason: String(signal.reason) })
}

function tooMuch(what: string, limit: number): JuristError<'limit-exceeded'> {
  return new JuristError(
    'limit-exceeded',
    `The directory has more than ${limit} ${what}; leave some out with "ignore".`,
    { what, limit },
  )
}
