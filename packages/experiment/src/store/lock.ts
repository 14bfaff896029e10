import { randomBytes } from 'node:crypto'
import { link, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { JuristError } from '@jurist/core'
import { parseOrUndefined } from '@jurist/kit/json'
import { hasEnded, ownProcess, type ProcessIdentity } from '@jurist/kit/process-identity'
import { regularFileText } from '@jurist/kit/regular-file'
import * as v from 'valibot'
import { diskFailure, isMissing, systemCode, temporaryPath } from './disk.js'
import { shown } from './names.js'

/** The holder of a lock. */
export interface LockHolder extends ProcessIdentity {
  readonly startedAt: string
}

/** A lock that is ours until we release it, or until another process takes it over. */
export interface Lock {
  /** Whether it was taken over from a holder that was only silent: that one may wake up and write. */
  readonly fromSilent: boolean
  /** Whether it is still ours; looks at the disk only when the last look was long ago. */
  isOurs(): Promise<boolean>
  release(): Promise<void>
}

/** The content of a lock file; `token` is different for every lock ever made. */
interface FoundLock {
  readonly token: string
  readonly stale: boolean
  /** Whether its process is known to be gone. */
  readonly gone: boolean
  readonly holder: LockHolder | undefined
  /** When its holder gave a sign of life, in milliseconds since 1970. */
  readonly seenAt: number
}

const heartbeatMs = 10_000

/**
 * Takes an exclusive lock, a file. A lock is stale when its process is gone from this machine, or when its modification
 * time, which the holder renews every 10 s, is older than `staleMs`: then it is taken over.
 *
 * @returns the holder instead, when someone has it
 * @throws `store-failed` when the disk refuses
 */
export async function takeLock(path: string, staleMs: number): Promise<Lock | { readonly holder: LockHolder }> {
  const ours = { ...ownProcess(), startedAt: new Date().toISOString() }
  const token = randomBytes(9).toString('hex')
  const text = `${JSON.stringify({ ...ours, token })}\n`
  for (;;) {
    if (await created(path, text)) return heldLock(path, { token, staleMs, fromSilent: false })
    const found = await look(path, staleMs)
    if (found === undefined) continue
    if (!found.stale) return { holder: found.holder ?? unknownHolder }
    const taken = await takeOver(path, found.token, text, staleMs)
    if (taken === 'ours') return heldLock(path, { token, staleMs, fromSilent: !found.gone })
    if (taken === 'theirs') return { holder: found.holder ?? unknownHolder }
  }
}

/** Of a lock for short work: how old its last heartbeat may be, and how long to wait for one that holds it. */
const [shortStaleMs, patienceMs] = [10_000, 30_000]

/**
 * Takes a lock for short work, such as writing one file, and waits for those who have it before. Returns `undefined` when one
 * of them keeps it for 30 s: on a busy machine many may come before, and each takes its time.
 */
export async function waitForLock(path: string): Promise<Lock | undefined> {
  let [before, deadline] = ['', 0]
  for (;;) {
    const lock = await takeLock(path, shortStaleMs)
    if (!('holder' in lock)) return lock
    const holder = JSON.stringify(lock.holder)
    if (holder !== before) [before, deadline] = [holder, performance.now() + patienceMs]
    else if (performance.now() > deadline) return undefined
    // Unequal pauses, so that those who wait do not keep meeting.
    await setTimeout(2 + Math.random() * 10)
  }
}

/**
 * Runs `action` while this process alone may change a file.
 *
 * @throws `store-failed` when others keep its lock for too long
 */
export async function alone<Value>(path: string, action: () => Promise<Value>): Promise<Value> {
  const lock = await waitForLock(`${path}.lock`)
  if (lock === undefined) {
    const problem = `${shown(path)} has been in use by another process for too long.`
    throw new JuristError('store-failed', `${problem} Try again when that one has ended.`, { path })
  }
  try {
    return await action()
  } finally {
    await lock.release()
  }
}

/** Returns the holder of the lock; `undefined` without a holder, or when its process is gone. */
export async function holderOf(path: string, staleMs: number): Promise<LockHolder | undefined> {
  const found = await look(path, staleMs)
  return found === undefined || found.stale ? undefined : (found.holder ?? unknownHolder)
}

/** The holder of a lock and when it gave a sign of life; `undefined` where it is not known. */
export async function lastSignOf(
  path: string,
): Promise<(Pick<FoundLock, 'seenAt'> & { readonly holder: LockHolder }) | undefined> {
  const { holder, seenAt = 0 } = (await look(path, Number.POSITIVE_INFINITY)) ?? {}
  return holder === undefined ? undefined : { holder, seenAt }
}

/**
 * Whether a lock is held, regardless of the age of its last heartbeat: `gone` when its process is known to have ended, `none`
 * when there is no lock.
 */
export async function lockState(path: string): Promise<'held' | 'gone' | 'none'> {
  const found = await look(path, Number.POSITIVE_INFINITY)
  if (found === undefined) return 'none'
  return found.gone ? 'gone' : 'held'
}

/** The holder of a lock that is just being written. */
const unknownHolder: LockHolder = { pid: 0, host: 'unknown', startedAt: 'unknown' }

/** Creates a complete lock atomically, even if its maker dies. Returns `false` if there is one already. */
async function created(path: string, text: string): Promise<boolean> {
  const draft = temporaryPath(dirname(path), basename(path))
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await link(draft, path)
    return true
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false
    throw diskFailure('lock', path, thrown)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Replaces one certain stale lock by ours. Only who holds the lock on its token may do so, and looks again first: of
 * several takers one wins, and none replaces the lock of that winner.
 */
async function takeOver(
  path: string,
  token: string,
  text: string,
  staleMs: number,
): Promise<'ours' | 'theirs' | 'gone'> {
  const claim = await takeLock(`${path}.${token}`, staleMs)
  if ('holder' in claim) return 'theirs'
  try {
    const again = await look(path, staleMs)
    if (again?.token !== token || !again.stale) return 'gone'
    const next = `${path}.${token}.next`
    await rm(next, { force: true })
    await created(next, text)
    await rename(next, path)
    return 'ours'
  } catch (thrown) {
    throw diskFailure('take over', path, thrown)
  } finally {
    await claim.release()
  }
}

async function look(path: string, staleMs: number): Promise<FoundLock | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([regularFileText(path), stat(path)])
    const silent = Date.now() - mtimeMs > staleMs
    const read = readHolder(text)
    if (read === undefined)
      return { token: 'unreadable', stale: silent, gone: false, holder: undefined, seenAt: mtimeMs }
    const { token, ...holder } = read
    const gone = hasEnded(holder)
    return { token, stale: silent || gone, gone, holder, seenAt: mtimeMs }
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw diskFailure('read', path, thrown)
  }
}

/** Parses the content of a lock; `undefined` if its maker has not written it yet, or died before it could. */
function readHolder(text: string): (LockHolder & { readonly token: string }) | undefined {
  const read = v.safeParse(holderSchema, parseOrUndefined(text))
  return read.success ? read.output : undefined
}

const holderSchema = v.object({
  pid: v.pipe(v.number(), v.safeInteger()),
  host: v.string(),
  machine: v.exactOptional(v.string()),
  startedAt: v.string(),
  token: v.pipe(v.string(), v.regex(/^[\w-]+$/)),
})

/** Whether the lock at a path still has this token. Errors such as too many open files do not count as a lost lock. */
async function stillHas(path: string, token: string): Promise<boolean> {
  try {
    return readHolder(await regularFileText(path))?.token === token
  } catch (thrown) {
    return !isMissing(thrown)
  }
}

function heldLock(
  path: string,
  { token, staleMs, fromSilent }: { readonly token: string; readonly staleMs: number; readonly fromSilent: boolean },
): Lock {
  const trustMs = Math.min(heartbeatMs, staleMs / 4)
  let ours = true
  let seenAt = Date.now()

  async function beat(): Promise<void> {
    ours &&= await stillHas(path, token)
    if (!ours) return clearInterval(timer)
    const now = new Date()
    await utimes(path, now, now).catch(() => undefined)
    seenAt = now.getTime()
  }

  const timer = setInterval(() => void beat(), trustMs)
  timer.unref()
  return {
    fromSilent,
    async isOurs() {
      // A process that was stopped for long finds its lock taken over before it writes again.
      if (ours && Date.now() - seenAt > 2 * trustMs) await beat()
      return ours
    },
    async release() {
      clearInterval(timer)
      if (!ours) return
      await beat()
      if (ours) await rm(path, { force: true })
      ours = false
    },
  }
}
