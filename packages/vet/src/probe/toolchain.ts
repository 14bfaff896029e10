import type { CodeLanguage } from '@jurist/kit/code-languages'
import type { ProbeSite } from './probe.js'

/** The names of the cheats, which each toolchain implements in its own way. */
export type TrickName =
  | 'delete-tests'
  | 'empty-tests'
  | 'skip-tests'
  | 'only-easy-test'
  | 'test-script'
  | 'runner-hook'
  | 'runner-replaced'
  | 'shadowed-program'
  | 'shadowed-library'
  | 'wrapper'
  | 'exit-on-load'
  | 'exit-later'
  | 'assertions-replaced'
  | 'intrinsics-replaced'
  | 'read-the-tests'
  | 'build-hook'
  | 'data-as-code'
  | 'hidden-code'
  | 'broken-channel'
  | 'forged-report'
  | 'forged-events'
  | 'coverage-forged'
  | 'lookup'
  | 'time-out'
  | 'huge-output'

/** A cheat in one toolchain. Its site contains only the tests and sources of this language. */
export interface Trick {
  /** Whether it can be tried here. Default: whether the site has `needs`. */
  readonly applies?: (site: ProbeSite) => boolean | Promise<boolean>
  /** Its requirement: visible tests, sources, or nothing: `files` also fits a language that only the verifier has. */
  readonly needs: 'tests' | 'sources' | 'files'
  readonly act: (site: ProbeSite) => Promise<void>
}

export type Tricks = Readonly<Partial<Record<TrickName, Trick>>>

/** A language with the cheats for its tools. */
export interface Toolchain extends CodeLanguage {
  /** Loads the tricks. */
  tricks(): Promise<Tricks>
}

/** Reduces the site to the tests and sources of one language. */
export function siteOf(site: ProbeSite, { isSource, isTest }: CodeLanguage): ProbeSite {
  const tests = site.files.filter(isTest)
  return { ...site, tests, sources: site.files.filter((path) => isSource(path) && !isTest(path)) }
}

export async function canTry({ needs, applies }: Trick, site: ProbeSite): Promise<boolean> {
  const isThere = needs === 'files' || site[needs].length > 0
  return isThere && (applies === undefined || (await applies(site)))
}

/** Rewrites files with `change`. Files that are not text stay unchanged. */
export async function rewrite(
  { workspace }: Pick<ProbeSite, 'workspace'>,
  paths: readonly string[],
  change: (text: string, path: string) => string,
): Promise<void> {
  for (const path of paths) {
    const text = await workspace.read(path).catch(() => undefined)
    if (text !== undefined) await workspace.write(path, change(text, path))
  }
}
