import { JuristError } from '@jurist/core'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const runIdShape = /^\d{8}T\d{9}Z-[0-9a-hjkmnp-tv-z]{6}$/

/**
 * Whether something can name a run: see `newRunId`. Nothing else is ever made part of a path.
 */
export function isRunId(id: unknown): boolean {
  return typeof id === 'string' && runIdShape.test(id)
}

/**
 * The id of a new run: the instant, and six characters from a secure source. Ids sort by time.
 */
export function newRunId(at: Date = new Date()): string {
  const instant = at.toISOString().replaceAll(/[-:.]/g, '')
  // 32 letters: the low five bits of a random byte choose each of them equally often.
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => alphabet[byte & 31])
  return `${instant}-${letters.join('')}`
}

const safeNameShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const windowsDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const taken: ReadonlySet<string> = new Set(['sessions', 'sweeps', 'index', 'workspaces', 'journal', 'run', 'lock'])

/** The names that the results directory uses itself, for messages. */
export const reservedNames: string = [...taken].join(', ')

/** Whether `name` would be good but for being a name that the results directory uses itself, in any case of its letters. */
export function isReservedName(name: string): boolean {
  return taken.has(name.toLowerCase())
}

export function reservedName(): { readonly problem: string; readonly remedy: string } {
  return {
    problem: 'is reserved: the results directory uses this name itself.',
    remedy: `Choose another one; reserved are ${reservedNames}.`,
  }
}

/** Whether `name` can name an experiment, a variant, a session or a sweep: see `checkSafeName`. */
export function isSafeName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    safeNameShape.test(name) &&
    !name.endsWith('.') &&
    !windowsDevice.test(name) &&
    !taken.has(name.toLowerCase())
  )
}

/**
 * Returns `name` when it can be a directory on every system: 1 to 64 of `A-Z a-z 0-9 . _ -`, beginning with a letter or
 * a digit, not ending in a dot, no device of Windows, no name that the results directory uses itself.
 *
 * @param what what is named, for the message, such as `'an experiment'`
 * @throws `name-invalid`
 */
export function checkSafeName(name: string, what: string): string {
  if (isSafeName(name)) return name
  const shown = JSON.stringify(String(name).slice(0, 80))
  if (isReservedName(String(name))) {
    const { problem, remedy } = reservedName()
    throw new JuristError('name-invalid', `${shown} cannot name ${what}: it ${problem} ${remedy}`, {
      name: String(name),
    })
  }
  throw new JuristError(
    'name-invalid',
    `${shown} cannot name ${what}: use 1 to 64 letters, digits, ".", "_" or "-", ` +
      'beginning with a letter or a digit, not ending in ".", and not reserved, such as con and nul, ' +
      `${[...taken].join(', ')}.`,
    { name: String(name) },
  )
}

/** Throws `run-unknown` for an id that this store does not contain, or that no store can. */
export function runUnknown(id: string, what = 'run'): never {
  throw new JuristError(
    'run-unknown',
    `There is no ${what} ${JSON.stringify(String(id).slice(0, 80))} in this store. List what it holds to find the name.`,
    { id: String(id) },
  )
}

/** Returns `id` when it can be a run id; nothing else may become part of a path. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id
  throw new JuristError(
    'run-unknown',
    `${JSON.stringify(String(id).slice(0, 80))} is not a run id. A run id looks like 20261121T091500123Z-4kq7rm.`,
    { id: String(id) },
  )
}

/** Refuses an id that is taken: throws `store-failed`. */
export function runExists(id: string): never {
  throw new JuristError('store-failed', `There is a run ${id} already. Resume it, or begin one with a new id.`, {
    path: id,
  })
}

/** Refuses a run that another process writes: throws `run-locked`. */
export function runLocked(id: string, holder?: { readonly pid: number; readonly host: string }): never {
  const by = holder === undefined ? '' : ` by pid ${holder.pid} on ${holder.host}`
  throw new JuristError('run-locked', `Run ${id} is being written${by}. Wait for it, or resume when it has ended.`, {
    id,
    holder: { ...holder },
  })
}

/** Refuses a writer that has ended: throws `store-failed`. */
export function writerClosed(id: string, path: string = id): never {
  throw new JuristError('store-failed', `The writer of run ${id} has ended. Resume the run to add to it.`, { path })
}

/** A path as people know it: from where they are, when it is below. Where there is no Node there are no paths. */
export function shown(path: string): string {
  const here = typeof process === 'undefined' ? '' : process.cwd()
  const isBelow = here !== '' && path.startsWith(here) && /^[\\/]./.test(path.slice(here.length))
  return isBelow ? path.slice(here.length + 1) : path
}
