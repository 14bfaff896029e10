import { allowedVariables } from '@jurist/core/internal'

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
