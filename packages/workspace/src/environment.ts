import type { CommandResult } from '@jurist/core'
import { allowedVariables } from '@jurist/kit/environment'

/** What a command may see of the host's variables, and what it is given beside them. */
export interface EnvironmentPolicy {
  /** Names taken over from the host; a `*` at the end stands for any ending. */
  readonly allow?: readonly string[]
  readonly set?: { readonly [name: string]: string }
}

const base = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM', 'JAVA_HOME']

/** The whole environment of a command: the base list, what the policy allows and sets, then what the call adds. */
export function commandEnvironment(
  { allow = [], set = {} }: EnvironmentPolicy,
  added: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  return { ...allowedVariables([...base, ...allow], process.env), CI: 'true', ...set, ...added }
}

type Variables = { readonly [name: string]: string | undefined }

const secretName = /(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(?:^|_)(?:KEY|PAT|AUTH)$)/i
const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:([^/@\s]+)@/i
/** Shorter values occur in ordinary text by chance. */
const shortest = 8
/** Values such as `postgres`, `test-key` and `12345678` occur in the names of tests and in what programs print. */
const ordinary = /^(?:[a-z]+(?:[-_. ][a-z]+)*|\d+)$/i
const longestOrdinary = 19

/**
 * The values of the host's variables that a command has no business to know: those of variables called a key, a token, a
 * secret or a password, and the passwords in URLs, unless the command was given them. Of short values and ordinary words
 * only the assignment and the place in the URL: what a judge reads of an output must not depend on `DB_PASSWORD=postgres`.
 * The longest first.
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

/** The value, or only the text around it where the value alone says little. */
function secretIn(value: string, around: string, known: readonly (string | undefined)[]): readonly string[] {
  const isTelling = value.length >= shortest && (value.length > longestOrdinary || !ordinary.test(value))
  const secret = isTelling ? value : around
  // A short value is a part of many others, such as PATH.
  const isGiven = known.some((one) => one === value || one?.includes(secret))
  return value === '' || isGiven || secret.length < shortest ? [] : [secret]
}

/** The result with `***` for each secret in what the command printed. */
export function withoutSecrets(result: CommandResult, secrets: readonly string[]): CommandResult {
  if (secrets.length === 0) return result
  const { stdout, stderr, truncated } = result
  const blanked = (text: string) => (truncated ? blankedAtCut(blank(text, secrets), secrets) : blank(text, secrets))
  return Object.freeze({ ...result, stdout: blanked(stdout), stderr: blanked(stderr) })
}

/** A text with `***` for each secret of the host's variables in it. */
export function withoutHostSecrets(text: string): string {
  return blank(text, secretsOfHost(process.env, {}))
}

function blank(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

/** What is left of a secret on either side of the cut is not shown either. */
function blankedAtCut(text: string, secrets: readonly string[]): string {
  const cut = /\n?… \d+ bytes omitted …\n/.exec(text)
  if (cut === null) return text
  const [before, after] = [text.slice(0, cut.index), text.slice(cut.index + cut[0].length)]
  const begun = Math.max(0, ...secrets.map((secret) => longest(secret, (part) => before.endsWith(part), 'start')))
  const ended = Math.max(0, ...secrets.map((secret) => longest(secret, (part) => after.startsWith(part), 'end')))
  const start = begun === 0 ? before : `${before.slice(0, -begun)}***`
  return `${start}${cut[0]}${ended === 0 ? after : `***${after.slice(ended)}`}`
}

/** Fewer characters give nothing away. */
const fewest = 4

function longest(secret: string, isThere: (part: string) => boolean, side: 'start' | 'end'): number {
  for (let length = secret.length - 1; length >= fewest; length--)
    if (isThere(side === 'start' ? secret.slice(0, length) : secret.slice(-length))) return length
  return 0
}
