import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { processStart } from '@jurist/kit/processes'
import { pathOf } from './byte-path.js'
import { systemPath } from './system-path.js'

/** `jurist-<machine>-<process>-<start of the process>-<six characters>`. */
const ourName = /^jurist-([0-9a-f]{8})-([0-9a-z]{1,8})-([0-9a-z]{1,12})-.{6}$/

/**
 * Creates a directory whose name contains its process, so that it can be deleted when that process is gone.
 *
 * @param parent default: the system's temporary directory
 */
export function temporaryDirectory(parent: string = tmpdir()): string {
  const start = startOf(process.pid) ?? '0'
  return mkdtempSync(join(parent, `jurist-${machine()}-${process.pid.toString(36)}-${start}-`))
}

/**
 * Returns the parent directory for copies of a workspace: that of the workspace if `temporaryDirectory` created it, so
 * that both are on the same file system, otherwise the system's temporary directory.
 */
export function parentOfCopies(root: string): string {
  return isOurs(root) ? dirname(root) : tmpdir()
}

/** Keeps a directory from `temporaryDirectory` from being deleted when this process is gone. */
export function keepTemporary(directory: string): void {
  if (isOurs(directory)) writeFileSync(keptMark(directory), '')
}

function isOurs(directory: string): boolean {
  return ourName.test(basename(directory))
}

const keptMark = (directory: string): string => `${directory}.kept`

const swept = new Map<string, Promise<void>>()

/**
 * Deletes what killed processes of this user and machine have left in a directory for temporary files; once in the life
 * of this process. Never rejects: what cannot be deleted stays.
 *
 * @param parent default: the system's temporary directory
 */
export function sweepTemporary(parent: string = tmpdir()): Promise<void> {
  const sweeping = swept.get(parent) ?? sweep(parent).catch(() => undefined)
  swept.set(parent, sweeping)
  return sweeping
}

async function sweep(parent: string): Promise<void> {
  const abandoned = readdirSync(parent).filter((name) => isAbandoned(parent, name))
  for (const name of abandoned) await deleteTree(join(parent, name)).catch(() => undefined)
}

function isAbandoned(parent: string, name: string): boolean {
  const [, onMachine, id, start] = ourName.exec(name) ?? []
  if (onMachine === undefined || id === undefined || onMachine !== machine()) return false
  const pid = Number.parseInt(id, 36)
  if (isRunning(pid) && (start === '0' || startOf(pid) === start)) return false
  const directory = join(parent, name)
  const stats = lstatSync(directory, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && !existsSync(keptMark(directory))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Returns the start of a process as a short string; `undefined` if the system does not report it. It is needed because
 * process ids are reused.
 */
function startOf(pid: number): string | undefined {
  const ticks = processStart(pid)
  return ticks === undefined ? undefined : Number(ticks).toString(36)
}

let known: string | undefined

/** Process ids have a meaning only on one machine, and in one of its containers. */
function machine(): string {
  known ??= createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 8)
  return known
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Every system supports shorter paths. */
const longPath = 2_000

/**
 * Deletes a directory and its contents, including paths that are too long for the system and directories that their
 * owner may not enter. Links are deleted, never followed. A missing directory is not an error.
 *
 * @throws the system's error if it cannot be deleted
 */
export async function deleteTree(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    flatten(directory)
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Like `deleteTree`, but warns if it fails: disposing of a workspace must not fail. */
export async function deleteOrWarn(directory: string): Promise<void> {
  try {
    await deleteTree(directory)
  } catch (thrown) {
    process.emitWarning(`The directory ${directory} could not be deleted: ${failureOf(thrown).message}`)
  }
}

/** Moves deep directories up to the root, and opens those that are closed. */
function flatten(root: string): void {
  const waiting = [root]
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const stats = lstatSync(systemPath(directory), { throwIfNoEntry: false })
    if (stats === undefined || !stats.isDirectory()) continue
    if ((stats.mode & 0o700) !== 0o700) chmodSync(systemPath(directory), 0o700)
    for (const entry of readdirSync(systemPath(directory), { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) continue
      const place = join(directory, pathOf(entry.name))
      waiting.push(place.length < longPath ? place : movedUp(root, place))
    }
  }
}

function movedUp(root: string, place: string): string {
  const target = join(root, `.deep-${randomBytes(8).toString('hex')}`)
  // A closed directory cannot be moved to another one: its entry ".." would change.
  chmodSync(systemPath(place), 0o700)
  renameSync(systemPath(place), target)
  return target
}
