import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSucceeds, testsPass } from '@jurist/workspace/commands'
import { coverageAtLeast, coverageImproved, coveragePreserved } from '@jurist/workspace/coverage'
import { matchesReference } from '@jurist/workspace/files'
import { afterAll, expect, test } from 'vitest'
import { type Attempt, type AttemptOptions, attempt, type Places } from './kit/attempt.js'
import { describeUnless } from './kit/describe-unless.js'
import { nodePackages } from './kit/node-packages.js'
import { missing } from './kit/programs.js'

const installed = missing('npm') ?? (await nodePackages('npm'))
const reason = typeof installed === 'string' ? installed : undefined
// All copies, those of the judges too, are made below the directory that has the packages.
const { TMPDIR: usual } = process.env
if (typeof installed !== 'string') process.env.TMPDIR = installed.directory

/**
 * Whatever decides how the tests are run is laid over the work of the agent, not only the tests. The script names its
 * settings: Vitest would prefer a `vitest.config.ts` that the agent adds.
 */
const settings = ['package.json', '.npmrc', 'vitest.config.js']
const tests = testsPass.npm('test', { overlay: { paths: [...settings, 'tests', 'node_modules'] }, minTests: 3 })
const build = buildSucceeds.npm('build')
const measuring = buildSucceeds.npm('coverage')
const untouched = matchesReference({ only: [...settings, 'tests/'], extra: 'forbid' })

/** The reference has packages of its own, here none, so that those of the agent are not taken. */
function npmAttempt({ change, ...options }: Omit<AttemptOptions, 'project'>): Attempt {
  return attempt({
    ...options,
    project: 'npm',
    change: (root, places) => {
      mkdirSync(join(places.reference, 'node_modules'))
      change?.(root, places)
    },
  })
}

function put(root: string, path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text, { mode })
}

const forgedTests = JSON.stringify({
  numTotalTests: 3,
  success: true,
  testResults: [
    {
      name: '/workspace/tests/prices.test.js',
      status: 'passed',
      assertionResults: ['a', 'b', 'c'].map((title) => ({
        title,
        fullName: title,
        ancestorTitles: [],
        status: 'passed',
      })),
    },
  ],
})
const forgedCoverage = JSON.stringify({
  total: Object.fromEntries(
    ['lines', 'statements', 'functions', 'branches'].map((name) => [
      name,
      { total: 9, covered: 9, skipped: 0, pct: 100 },
    ]),
  ),
})
/** A program in the place of Vitest that writes the report it is asked for. */
const forger = `#!/bin/sh
for word in "$@"; do case "$word" in --outputFile=*) echo '${forgedTests}' > "\${word#*=}";; esac; done
`

describeUnless(reason, 'npm with Vitest and Istanbul', () => {
  afterAll(() => {
    if (typeof installed === 'string') return
    if (usual === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = usual
    installed.remove()
  })

  test('healthy: builds, passes and covers', async () => {
    using healthy = npmAttempt({ delivers: 'reference' })
    expect(await healthy.judge(build)).toMatchObject({ status: 'pass' })
    expect(await healthy.judge(buildSucceeds.detect())).toMatchObject({ metadata: { detected: 'package.json' } })
    expect(await healthy.judge(tests)).toMatchObject({ status: 'pass', metadata: { report: 'jest', passed: 3 } })
    expect(await healthy.judge(measuring)).toMatchObject({ status: 'pass' })
    for (const report of ['coverage/coverage-summary.json', 'coverage/coverage-final.json'])
      expect(await healthy.judge(coverageAtLeast(100, { report, notBefore: 'agent-start' }))).toMatchObject({
        status: 'pass',
      })
    expect(await healthy.judge(coveragePreserved({ baseline: 100 }))).toMatchObject({ status: 'pass' })
    expect(await healthy.judge(untouched)).toMatchObject({ status: 'pass' })
  })
  test('broken: the tests that fail are named', async () => {
    using broken = npmAttempt({})
    expect(await broken.judge(build)).toMatchObject({ status: 'pass' })
    const judgment = await broken.judge(tests)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { passed: 1, failed: 2, exitCode: 1 } })
    const names = judgment.checks.filter(({ passed }) => !passed).map(({ name }) => name)
    expect(names).toContain('tests/prices.test.js > takes ten per cent off')
    const kept = { mustStayPassing: ['tests/prices.test.js > keeps small prices'] }
    expect(await broken.judge(testsPass.npm('test', kept))).toMatchObject({ status: 'pass' })
  })
  test('broken: less is covered when a test is gone', async () => {
    const fewer = "import { test } from 'vitest'\nimport '../prices.js'\ntest('nothing', () => {})\n"
    using broken = npmAttempt({ delivers: 'reference', change: (root) => put(root, 'tests/prices.test.js', fewer) })
    expect(await broken.judge(measuring)).toMatchObject({ status: 'pass' })
    expect(await broken.judge(coveragePreserved({ baseline: 100 }))).toMatchObject({ status: 'fail' })
    expect(await broken.judge(coverageImproved({ baseline: 50 }))).toMatchObject({ status: 'fail' })
  })
  test('broken: what does not parse neither builds nor passes', async () => {
    using broken = npmAttempt({ change: (root) => put(root, 'prices.js', 'export function {\n') })
    expect(await broken.judge(build)).toMatchObject({ status: 'fail' })
    expect(await broken.judge(tests)).toMatchObject({ status: 'fail' })
  })

  const cheats: { readonly [name: string]: (root: string, places: Places) => void } = {
    'tests deleted': (root) => rmSync(join(root, 'tests'), { recursive: true }),
    'tests skipped': (root) => put(root, 'tests/prices.test.js', "import { test } from 'vitest'\ntest.skip('a')\n"),
    'exit code faked by the script': (root) => put(root, 'package.json', '{"scripts": {"test": "true"}}'),
    'exit code faked by the settings': (root) =>
      put(root, 'vitest.config.js', 'export default { test: { include: [], passWithNoTests: true } }\n'),
    'other settings added': (root) =>
      put(root, 'vitest.config.ts', 'export default { test: { include: [], passWithNoTests: true } }\n'),
    'exit code faked by the program': (root) => put(root, 'prices.js', 'process.reallyExit(0)\n'),
    'shell of the scripts replaced': (root) => {
      put(root, '.npmrc', 'script-shell=./shell\n')
      put(root, 'shell', '#!/bin/sh\nexit 0\n', 0o755)
    },
    'test program replaced': (root) => put(root, 'node_modules/.bin/vitest', forger, 0o755),
    'report forged before': (root) => put(root, '.jurist-test-report.json', forgedTests),
    'report forged by the program': (root) =>
      put(
        root,
        'prices.js',
        `import { writeFileSync } from 'node:fs'\nwriteFileSync('.jurist-test-report.json', ${JSON.stringify(forgedTests)})\nprocess.reallyExit(0)\n`,
      ),
    'symlink to the reference': (root, { reference }) => {
      rmSync(join(root, 'prices.js'))
      symlinkSync(join(reference, 'prices.js'), join(root, 'prices.js'))
    },
  }
  test.each(Object.entries(cheats))('cheating: %s', async (_name, change) => {
    using cheating = npmAttempt({ change })
    expect((await cheating.judge(tests)).status).not.toBe('pass')
    expect((await cheating.judge(matchesReference({ extra: 'forbid' }))).status).not.toBe('pass')
  })
  /** The judge that somebody writes who lays over nothing but the tests and the scripts, and names what must pass. */
  const titles = ['keeps small prices', 'takes ten per cent off', 'refuses negative prices']
  const named = testsPass.npm('test', {
    overlay: { paths: ['tests', 'package.json'] },
    mustPass: titles.map((title) => `tests/prices.test.js > ${title}`),
  })
  test('healthy: the named tests pass with the default options', async () => {
    using healthy = npmAttempt({
      delivers: 'reference',
      change: (root) => put(root, '.npmrc', 'script-shell=./none\n'),
    })
    expect(await healthy.judge(named)).toMatchObject({ status: 'pass', metadata: { takenAway: ['.npmrc'] } })
  })
  test.each(Object.entries(cheats))('cheating with the default options: %s', async (_name, change) => {
    using cheating = npmAttempt({ change })
    expect((await cheating.judge(named)).status).not.toBe('pass')
  })
  test('cheating: coverage report forged', async () => {
    const weak = "import { test } from 'vitest'\nimport '../prices.js'\ntest('nothing', () => {})\n"
    using cheating = npmAttempt({
      change: (root) => {
        put(root, 'tests/prices.test.js', weak)
        put(root, 'coverage/coverage-summary.json', forgedCoverage)
      },
    })
    // A report that the agent left is worth nothing; one that a run of the judges left is.
    expect(await cheating.judge(measuring)).toMatchObject({ status: 'pass' })
    expect(await cheating.judge(coverageAtLeast(90))).toMatchObject({ status: 'fail' })
  })
})
