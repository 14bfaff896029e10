import { JuristError } from '@jurist/core'

const shape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const windowsDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const taken: ReadonlySet<string> = new Set(['sessions', 'sweeps', 'index', 'workspaces', 'journal', 'run', 'lock'])

/** The names that the results directory uses itself, for messages. */
export const reservedNames: string = [...taken].join(', ')

/** Whether `name` would be good but for being a name that the results directory uses itself, in any case of its letters. */
export function isReservedName(name: string): boolean {
  return taken.has(name.toLowerCase())
}

/** What is wrong with a name that is reserved, and what to do. */
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
    shape.test(name) &&
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
      'beginning with a letter or a digit, not ending in ".", and none of con, nul and the like, ' +
      `${[...taken].join(', ')}.`,
    { name: String(name) },
  )
}
