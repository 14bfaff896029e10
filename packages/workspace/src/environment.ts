import type { CommandResult } from '@jurist/core'
import { allowedVariables } from '@jurist/kit/environment'

/** The host's variables that a command may see, and the variables that are set for it. */
export interface EnvironmentPolicy {
  /**
   * The names of variables to copy from the host. A `*` at the end matches any ending. Default: none besides those that
   * programs need.
   */
  readonly allow?: readonly string[]
  readonly set?: { readonly [name: string]: string }
}

const base = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM', 'JAVA_HOME']

/**
 * Builds the whole environment of a command: the base list, the variables that the policy allows and sets, and those
 * that the call adds.
 */
export function commandEnvironment(
  { allow = [], set = {} }: EnvironmentPolicy,
  added: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  return { ...allowedVariables([...base, ...allow], process.env), CI: 'true', ...set, ...added }
}

type Variables = { readonly [name: string]: string | undefined }

const secretName = /(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(?:^|_)(?:KEY|PAT|AUTH)$)/i
const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:([^/@\s]+)@/i
/** Shorter values occur in ordinary output by chance. */
const shortest = 8
/** Values such as `postgres`, `test-key` and `12345678` occur in the names of tests and in the output of programs. */
const ordinary = /^(?:[a-z]+(?:[-_. ][a-z]+)*|\d+)$/i
const longestOrdinary = 19

/**
 * Returns the values of the host's variables that a command must not know: those of variables called a key, a token, a
 * secret or a password, and the passwords in URLs, unless the command was given them. For short values and ordinary
 * words, it returns only the assignment and the place in the URL: what a judge reads in an output must not depend on
 * `DB_PASSWORD=postgres`. The longest come first.
 */
export function secretsOfHost(host: Variables, given: Variables): readonly string[] {
  const known = Object.values(given)
  const secrets = Object.entries(host).flatMap(([name, value = '']) => {
    const password = userInfo.exec(value)?.[1] ?? ''
    return [
      ...(secretName.test(name) ? secretIn(value, `${name}=${value}`, known) : []),
      ...secretIn(password, `:${password}@`, known),
    ]
  })
  return [...new Set(secrets)].sort((a, b) => b.length - a.length)
}

/** Returns the value, or the value with its context if the value alone is too ordinary. */
function secretIn(value: string, around: string, known: readonly (string | undefined)[]): readonly string[] {
  const isTelling = value.length >= shortest && (value.length > longestOrdinary || !ordinary.test(value))
  const secret = isTelling ? value : around
  // A short value is a part of many others, such as PATH.
  const isGiven = known.some((one) => one === value || one?.includes(secret))
  return value === '' || isGiven || secret.length < shortest ? [] : [secret]
}

/** Replaces each secret in the output of a command by `***`. */
export function withoutSecrets(result: CommandResult, secrets: readonly string[]): CommandResult {
  if (secrets.length === 0) return result
  const { stdout, stderr, truncated } = result
  const blanked = (text: string) => (truncated ? blankedAtCut(blank(text, secrets), secrets) : blank(text, secrets))
  return Object.freeze({ ...result, stdout: blanked(stdout), stderr: blanked(stderr) })
}

/** Replaces each secret of the host's variables in a string by `***`. */
export function withoutHostSecrets(text: string): string {
  return blank(text, secretsOfHost(process.env, {}))
}

/** Replaces each secret in a string by `***`. */
export function blank(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

/** The rest of a secret on either side of the cut is not shown either. */
function blankedAtCut(text: string, secrets: readonly string[]): string {
  const cut = /\n?… \d+ bytes omitted …\n/.exec(text)
  if (cut === null) return text
  const [before, after] = [text.slice(0, cut.index), text.slice(cut.index + cut[0].length)]
  const begun = Math.max(0, ...secrets.map((secret) => longest(secret, (part) => before.endsWith(part), 'start')))
  const ended = Math.max(0, ...secrets.map((secret) => longest(secret, (part) => after.startsWith(part), 'end')))
  const start = begun === 0 ? before : `${before.slice(0, -begun)}***`
  return `${start}${cut[0]}${ended === 0 ? after : `***${after.slice(ended)}`}`
}

/** Fewer characters reveal nothing. */
const fewest = 4

function longest(secret: string, isThere: (part: string) => boolean, side: 'start' | 'end'): number {
  for (let length = secret.length - 1; length >= fewest; length--)
    if (isThere(side === 'start' ? secret.slice(0, length) : secret.slice(-length))) return length
  return 0
}
