// The quick check of a change: build and types, lint, architecture, and the tests that the changed files can affect within
// their own packages. `npm test` runs everything.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { passAll, step } from './step.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Tests of the whole repository that are quick and find most mistakes. */
const always = ['tests/architecture.test.ts', 'tests/style.test.ts']

const git = (...argv) => execFileSync('git', argv, { cwd: root, encoding: 'utf8' }).trim()

/** The commit to compare with: where the branch left main, or the last commit on main itself. */
function baseCommit() {
  for (const main of ['main', 'origin/main'])
    try {
      const base = git('merge-base', main, 'HEAD')
      return base === git('rev-parse', 'HEAD') && git('status', '--porcelain') === '' ? 'HEAD~1' : base
    } catch {
      // There is no such branch.
    }
  return 'HEAD~1'
}

function changedFiles() {
  const changed = git('diff', '--name-only', '--diff-filter=d', baseCommit())
  const untracked = git('ls-files', '--others', '--exclude-standard')
  return [...changed.split('\n'), ...untracked.split('\n')].filter(
    (path) => path !== '' && existsSync(`${root}${path}`),
  )
}

const changed = changedFiles().filter((path) => /\.(?:[cm]?[jt]sx?|json)$/.test(path))
const touched = new Set(changed.flatMap((path) => /^packages\/([^/]+)\//.exec(path)?.[1] ?? []))
const untouched = readdirSync(`${root}packages`).filter((directory) => !touched.has(directory))
const leftOut = [
  ...untouched.map((directory) => `packages/${directory}/**`),
  ...['tests', 'examples']
    .flatMap((directory) =>
      readdirSync(`${root}${directory}`, { recursive: true }).map((path) => `${directory}/${path}`),
    )
    .filter((path) => path.endsWith('.test.ts') && !always.includes(path) && !changed.includes(path)),
]

/** The projects that the tests of some directories need. */
const projects = { bridges: 'packages/bridges/frameworks', vitest: 'packages/vitest/vitest-3' }
const needed = ['site', ...Object.keys(projects).flatMap((name) => (touched.has(name) ? [projects[name]] : []))]

const early = await passAll(
  step('frameworks', 'node', 'tests/structure/install-fixtures.mjs', ...needed),
  step('build and types', 'npm', 'run', 'build'),
  step('lint', 'npx', 'biome', 'check', '.'),
)
const tests = await step(
  `tests of ${touched.size === 0 ? 'the architecture' : `the architecture and of ${[...touched].join(', ')}`}`,
  ...['npx', 'vitest', 'related', '--run', ...changed, ...always],
  ...leftOut.flatMap((pattern) => ['--exclude', pattern]),
)
process.exitCode = early && tests ? 0 : 1
