import type { CodeLanguage } from '../code-languages.js'
import type { ProbeSite } from './probe.js'

/** The cheats that toolchains know, each in its own way. */
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

/** How a cheat works in one toolchain. It gets the site with the tests and sources of this language only. */
export interface Trick {
  /** Whether it can be tried here. Default: where the site has `needs`. */
  readonly applies?: (site: ProbeSite) => boolean | Promise<boolean>
  /** What it cannot do without: visible tests, sources, or any file of the language. */
  readonly needs: 'tests' | 'sources' | 'files'
  readonly act: (site: ProbeSite) => Promise<void>
}

/** The cheats of one toolchain. */
export type Tricks = Readonly<Partial<Record<TrickName, Trick>>>

/** What probes know of a language and the tools around it. */
export interface Toolchain extends CodeLanguage {
  /** Loads the tricks. */
  tricks(): Promise<Tricks>
}

/** The site with the tests and sources of one language only. */
export function siteOf(site: ProbeSite, { isSource, isTest }: CodeLanguage): ProbeSite {
  const tests = site.files.filter(isTest)
  return { ...site, tests, sources: site.files.filter((path) => isSource(path) && !isTest(path)) }
}

/** Whether a trick can be tried on a site of its language. */
export async function canTry({ needs, applies }: Trick, site: ProbeSite): Promise<boolean> {
  const found = { tests: site.tests, sources: site.sources, files: [...site.tests, ...site.sources] }[needs]
  return found.length > 0 && (applies === undefined || (await applies(site)))
}

/** Rewrites files: each becomes what `change` makes of it. Files that are not text stay. */
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
