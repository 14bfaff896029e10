/** What a command may see of the host's variables, and what it is given beside them. */
export interface EnvironmentPolicy {
  /** Names taken over from the host; a `*` at the end stands for any ending. */
  readonly allow?: readonly string[]
  readonly set?: { readonly [name: string]: string }
}

const base = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM', 'JAVA_HOME']

/** The variables of the host that `names` allow. */
function allowedVariables(names: readonly string[]): { readonly [name: string]: string } {
  const allowed = (name: string) =>
    names.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && allowed(entry[0]),
    ),
  )
}

/** The whole environment of a command: the base list, what the policy allows and sets, then what the call adds. */
export function commandEnvironment(
  { allow = [], set = {} }: EnvironmentPolicy,
  added: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  return { ...allowedVariables([...base, ...allow]), CI: 'true', ...set, ...added }
}
