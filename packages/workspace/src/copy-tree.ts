import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, utimesSync } from 'node:fs'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { JuristError } from '@jurist/core'
import ignore, { type Ignore } from 'ignore'
import { pathOf, shownPath } from './byte-path.js'
import { type CloneMode, copyFile, copyLink, type LinkRule, permissions } from './copy-file.js'
import { provisionFailed, systemCode } from './errors.js'
import { systemPath } from './system-path.js'

const maxCopyEntries = 200_000
const maxCopyBytes = 4 * 1024 ** 3
const sliceMs = 25

export interface TreeCopyOptions {
  /** Patterns of what is left out, in `.gitignore` syntax. */
  readonly ignore: readonly string[]
  readonly clone: CloneMode
  /** If something cannot be copied, the copy fails, or a process warning reports that it was left out. */
  readonly misfits: 'refuse' | 'leave-out'
  readonly links: LinkRule
  readonly signal: AbortSignal | undefined
  /** Paths that are left out; with a `/` at the end, a directory is left out if none of its files are copied. */
  readonly leaveOut?: ReadonlySet<string>
  /** Whether the target has files already: what is copied replaces what is in its place. */
  readonly onto?: boolean
}

export interface TreeCopy {
  readonly files: number
  readonly bytes: number
}

interface Copying {
  readonly from: string
  readonly to: string
  readonly ignored: Ignore | undefined
  readonly clone: CloneMode
  readonly misfit: (problem: JuristError) => void
  readonly links: LinkRule
  readonly signal: AbortSignal | undefined
  readonly leaveOut?: ReadonlySet<string>
  readonly onto?: boolean
  files: number
  bytes: number
  entries: number
  sliceEnd: number
}

/**
 * Copies the contents of a directory into another one, which is empty unless `onto` is set. Set-user-id and set-group-id bits are not
 * copied.
 *
 * @throws `path-escape`, `provision-failed`, `limit-exceeded` above 200,000 entries or 4 GiB, `aborted`
 */
export async function copyTree(from: string, to: string, options: TreeCopyOptions): Promise<TreeCopy> {
  const { ignore: left, misfits, ...rest } = options
  const leftOut: string[] = []
  const copying: Copying = {
    ...rest,
    from: resolve(from),
    to: resolve(to),
    ignored: left.length === 0 ? undefined : ignore().add([...left]),
    misfit: misfits === 'refuse' ? refuse : ({ message }) => leftOut.push(message),
    files: 0,
    bytes: 0,
    entries: 0,
    sliceEnd: 0,
  }
  await copyDirectory(copying, '')
  warnOf(leftOut)
  return { files: copying.files, bytes: copying.bytes }
}

/** Synchronous calls in slices are four times as fast as a promise for each file, and the event loop still turns. */
async function copyDirectory(copying: Copying, under: string): Promise<void> {
  const { from, ignored } = copying
  for (const entry of readdirSync(systemPath(`${from}/${under}`), { withFileTypes: true, encoding: 'buffer' })) {
    const name = pathOf(entry.name)
    const path = under === '' ? name : `${under}/${name}`
    if (ignored?.ignores(entry.isDirectory() ? `${path}/` : path) || copying.leaveOut?.has(path)) continue
    if (++copying.entries > maxCopyEntries) throw tooMuch('entries', maxCopyEntries)
    try {
      if (copying.onto) makeRoom(copying, path, entry.isDirectory())
      if (entry.isFile()) copyCounted(copying, path)
      else if (entry.isSymbolicLink()) copyLink(copying, path)
      else if (entry.isDirectory()) await copySubdirectory(copying, path)
      else copying.misfit(notCopied(copying, path, 'is neither a file, a directory nor a link'))
    } catch (thrown) {
      const problem = unreadable[systemCode(thrown) ?? '']
      if (problem === undefined) throw thrown
      copying.misfit(notCopied(copying, path, problem))
    }
    await breathe(copying)
  }
}

/** Such an entry must not stop the copying. */
const unreadable: { readonly [code: string]: string | undefined } = {
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ENAMETOOLONG: 'is too deep',
  ENOENT: 'went while it was copied',
}

async function copySubdirectory(copying: Copying, path: string): Promise<void> {
  const [source, target] = [systemPath(`${copying.from}/${path}`), systemPath(`${copying.to}/${path}`)]
  mkdirSync(target, { recursive: copying.onto })
  await copyDirectory(copying, path)
  if (copying.leaveOut?.has(`${path}/`) && readdirSync(target).length === 0) return rmdirSync(target)
  const { mode, atime, mtime } = lstatSync(source)
  chmodSync(target, mode & permissions)
  utimesSync(target, atime, mtime)
}

/** Two directories become one; anything else gives way, since a link in its place would lead elsewhere. */
function makeRoom({ to }: Copying, path: string, isDirectory: boolean): void {
  const target = systemPath(`${to}/${path}`)
  const found = lstatSync(target, { throwIfNoEntry: false })
  if (found !== undefined && !(isDirectory && found.isDirectory())) rmSync(target, { recursive: true })
}

function copyCounted(copying: Copying, path: string): void {
  const left = maxCopyBytes - copying.bytes
  const bytes = copyClosely(copying, path, left)
  if (bytes === undefined) {
    copying.misfit(notCopied(copying, path, 'is neither a file, a directory nor a link'))
    return
  }
  if (bytes > left) throw tooMuch('bytes', maxCopyBytes)
  copying.files += 1
  copying.bytes += bytes
}

function copyClosely({ from, to, clone }: Copying, path: string, maxBytes: number): number | undefined {
  try {
    return copyFile(`${from}/${path}`, `${to}/${path}`, { clone, maxBytes })
  } catch (thrown) {
    if (clone !== 'reflink' || unreadable[systemCode(thrown) ?? ''] !== undefined) throw thrown
    throw provisionFailed(shownPath(to), 'the file system cannot share storage; use clone "auto" or "copy"')
  }
}

function refuse(problem: JuristError): never {
  throw problem
}

/** One warning for each copy: an agent can leave thousands of such entries. */
function warnOf([first, ...others]: readonly string[]): void {
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` So were ${others.length} others.`
  process.emitWarning(`${first} It was left out.${more}`, 'JuristWarning')
}

function notCopied({ to }: Copying, path: string, problem: string): JuristError<'provision-failed'> {
  const shown = shownPath(path)
  return provisionFailed(shownPath(to), `${shown.length > 200 ? `…${shown.slice(-200)}` : shown} ${problem}`)
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
