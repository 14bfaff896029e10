/**
 * Returns the variables of a host that `names` allow. A name with `*` at the end allows every name with this prefix.
 * Every environment policy uses this function.
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
