/**
 * The variables of a host that `names` allow: each name itself, and with `*` at the end every name that begins so. Pure:
 * the host's variables are an argument. Every environment policy uses this one meaning.
 */
export function allowedVariables(
  names: readonly string[],
  host: Readonly<Record<string, string | undefined>>,
): { readonly [name: string]: string } {
  const exact = new Set(names.filter((name) => !name.endsWith('*')))
  const beginnings = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  const isAllowed = (name: string) => exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning))
  return Object.fromEntries(
    Object.entries(host).filter((entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0])),
  )
}
