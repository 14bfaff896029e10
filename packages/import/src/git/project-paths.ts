import { globMatcher } from '@jurist/workspace/internal'

/** The classification of the paths of a repository. */
export interface ProjectPaths {
  readonly isSource: (path: string) => boolean
  readonly isTest: (path: string) => boolean
  /** The globs of the caller, for messages. */
  readonly globs: { readonly source: readonly string[]; readonly tests: readonly string[] }
}

const code =
  'js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,py,pyi,go,rs,java,kt,scala,groovy,c,h,cc,cpp,hpp,cs,rb,php,swift,ex,exs'

/** The usual places of tests. */
const testGlobs: readonly string[] = [
  '**/{test,tests,spec,specs,__tests__,__snapshots__}/**',
  '**/*[._-]{test,spec,tests}.*',
  '**/test_*.py',
  '**/*{Test,Tests,TestCase,IT,Spec}.{java,kt,scala,groovy,cs,swift}',
]

const sourceGlobs: readonly string[] = [`**/*.{${code}}`]

/** Code that no test of a project runs. */
const asideGlobs: readonly string[] = [
  '{doc,docs,example,examples,bench,benchmarks,dist,build,vendor,.github,.husky,scripts}/**',
  '**/node_modules/**',
  '**/*.config.{js,mjs,cjs,ts,mts,cts}',
  '**/*.min.js',
]

/** Classifies sources and tests by the globs of the caller or by the usual places. A test is never a source. */
export async function projectPaths(given: {
  readonly source?: readonly string[] | undefined
  readonly tests?: readonly string[] | undefined
}): Promise<ProjectPaths> {
  const { source = sourceGlobs, tests = testGlobs } = given
  const isTest = await globMatcher(tests)
  const isNamed = await globMatcher(source)
  const isAside = given.source !== undefined ? () => false : await globMatcher(asideGlobs)
  return {
    isTest,
    isSource: (path) => isNamed(path) && !isTest(path) && !isAside(path),
    globs: { source, tests },
  }
}

/** Whether a runner accepts the file: helpers, fixtures and snapshots are excluded. */
export function isRunnable(path: string): boolean {
  const name = path.split('/').at(-1) ?? ''
  if (/\.(snap|json|txt|md|ya?ml|html|css)$/.test(name)) return false
  return /(^|[._-])(test|spec|tests)([._-]|$)/i.test(name) || /(Tests?|TestCase|IT|Spec)\./.test(name)
}

/**
 * Returns the paths that must replace those of the workspace so that the tests are those of the commit: for each test
 * the outermost directory that contains only tests, otherwise the file itself.
 */
export function hiddenPaths(
  tests: readonly string[],
  tree: readonly string[],
  isTest: ProjectPaths['isTest'],
): readonly string[] {
  const others = tree.filter((path) => !isTest(path))
  const holdsOnlyTests = (directory: string) => !others.some((path) => path.startsWith(`${directory}/`))
  const hidden = tests.map((path) => {
    const names = path.split('/')
    const directories = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
    return directories.find(holdsOnlyTests) ?? path
  })
  return [...new Set(hidden)].sort()
}
