const secretName = /(KEY|TOKEN|SECRET|PASSWORD)$/i
/** Shorter values stand in ordinary text by chance. */
const shortest = 8

/**
 * The values that must not be told: of variables whose name ends in `KEY`, `TOKEN`, `SECRET` or `PASSWORD`, and the
 * others given; each of at least 8 characters, the longest first.
 *
 * @example
 * secretsIn({ API_KEY: 'sk-123456', LANG: 'C' }) // ['sk-123456']
 */
export function secretsIn(
  variables: { readonly [name: string]: string | undefined } | undefined,
  ...others: readonly (string | undefined)[]
): readonly string[] {
  const named = Object.entries(variables ?? {}).flatMap(([name, value]) => (secretName.test(name) ? [value] : []))
  const values = [...named, ...others].filter((value): value is string => (value?.length ?? 0) >= shortest)
  return [...new Set(values)].sort((a, b) => b.length - a.length)
}

/** A text with `***` in place of every secret. */
export function textWithoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((blanked, secret) => blanked.replaceAll(secret, '***'), text)
}

/** A value that is plain JSON, with `***` in place of every secret in any text, keys included; a frozen copy. */
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

/** What the keys of well-known services look like. */
const keys = /\b(sk|pk|rk|gsk|ghp|xai|AIza|Bearer)[-_ ]?[\w-]{8,}/g

/**
 * A message without what looks like a key: services quote the key that they were given, and where a framework holds it
 * nobody here knows it.
 *
 * @example
 * withoutKeys('Incorrect API key provided: sk-proj-12345678') // 'Incorrect API key provided: ***'
 */
export function withoutKeys(text: string): string {
  return text.replaceAll(keys, '***')
}
