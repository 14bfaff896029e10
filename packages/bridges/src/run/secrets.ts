import { leftOut } from '../context/to-json.js'

const secretName = /(KEY|TOKEN|SECRET|PASSWORD)$/i
/** Shorter values occur in ordinary text. */
const shortest = 8

/**
 * The values to hide: those of variables whose names end in `KEY`, `TOKEN`, `SECRET` or `PASSWORD`, and `others`. Only
 * values of at least 8 characters, the longest first.
 */
export function secretsIn(
  variables: { readonly [name: string]: string | undefined } | undefined,
  ...others: readonly (string | undefined)[]
): readonly string[] {
  const named = Object.entries(variables ?? {}).flatMap(([name, value]) => (secretName.test(name) ? [value] : []))
  const values = [...named, ...others].filter((value): value is string => (value?.length ?? 0) >= shortest)
  return formsOf(values)
}

/** Includes their escaped forms in JSON, the longest first. */
export function formsOf(values: readonly string[]): readonly string[] {
  const forms = values.flatMap((value) => {
    const quoted = JSON.stringify(value).slice(1, -1)
    return [value, quoted, quoted.replaceAll('/', '\\/')]
  })
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

/** Also replaces the rest of a secret next to an omitted middle. */
export function textWithoutSecrets(text: string, secrets: readonly string[]): string {
  const blanked = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  const parts = secrets.length === 0 ? [blanked] : blanked.split(leftOut)
  if (parts.length === 1) return blanked
  // Every second part is the mark of an omitted middle.
  const whole = parts.map((part, index) => {
    if (index % 2 === 1) return part
    const begun = index === parts.length - 1 ? part : withoutBeginning(part, secrets)
    return index === 0 ? begun : withoutEnd(begun, secrets)
  })
  return whole.join('')
}

/** Fewer characters of a secret reveal nothing. */
const fewest = 4

/** The end of a string may be the beginning of a secret. */
function withoutBeginning(text: string, secrets: readonly string[]): string {
  const lengths = secrets.map(
    (secret) => lengthsOf(secret).find((length) => text.endsWith(secret.slice(0, length))) ?? 0,
  )
  const most = Math.max(0, ...lengths)
  return most === 0 ? text : `${text.slice(0, -most)}***`
}

/** The beginning of a string may be the end of a secret. */
function withoutEnd(text: string, secrets: readonly string[]): string {
  const lengths = secrets.map(
    (secret) => lengthsOf(secret).find((length) => text.startsWith(secret.slice(-length))) ?? 0,
  )
  const most = Math.max(0, ...lengths)
  return most === 0 ? text : `***${text.slice(most)}`
}

/** The longest first. */
function lengthsOf({ length }: string): readonly number[] {
  return Array.from({ length: Math.max(0, length - fewest) }, (_, index) => length - 1 - index)
}

/** Replaces secrets by `***` in all strings and keys of a JSON value. The copy is frozen. */
export function withoutSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  return secrets.length === 0 ? value : (blanked(value, secrets) as Value)
}

function blanked(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return textWithoutSecrets(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((member) => blanked(member, secrets)))
  const parts = Object.entries(value).map(([key, part]) => [textWithoutSecrets(key, secrets), blanked(part, secrets)])
  return Object.freeze(Object.fromEntries(parts))
}

/** A header with a key, as messages quote it: name, separator, scheme, value. */
const headers =
  /\b((?:proxy-)?authorization|(?:[\w-]{1,40}-)?(?:api[-_]?key|(?:auth|access)[-_]token))(["']?\s*[:=]\s*["']?)(?:(?:basic|bearer|token|digest)\s+)?([^\s"',;]{8,})/gi
const schemes = /\b(?:basic|bearer)\s+([\w.~+/=-]{8,})/gi
/** Keys with the prefix of a service, and tokens in three parts. */
const marked = /\b(?:(?:sk|pk|rk|gsk|xai)[-_]([\w-]{8,})|gh[a-z]_\w{8,}|AIza[\w-]{8,}|eyJ[\w-]{6,}(?:\.[\w-]+)*)/g

/**
 * Replaces everything that looks like a key. Services quote keys in their messages, and the bridge does not know the key
 * that a framework uses. Ordinary words are kept.
 */
export function withoutKeys(text: string): string {
  return text
    .replaceAll(headers, (whole, name: string, between: string, value: string) =>
      isPlausible(value, longWord) ? `${name}${between}***` : whole,
    )
    .replaceAll(schemes, (whole, value: string) => (isPlausible(value, longWord) ? '***' : whole))
    .replaceAll(marked, (whole, rest: string | undefined) =>
      rest === undefined || isPlausible(rest, longRest) ? '***' : whole,
    )
}

/** Longer than any word. */
const longWord = 24
/** Longer than most words after a prefix such as `sk-`. */
const longRest = 12

/** Whether a string may be a key. Words have no digits, and only the first letter is a capital. */
function isPlausible(text: string, long: number): boolean {
  return text.length >= long || /\d/.test(text) || /[a-z].*[A-Z]/.test(text)
}
