import type { Probe } from '../probe.js'
import { trickProbe } from '../tricks.js'

const overlay = 'Lay your own tests over the workspace: `overlay: { paths: [tests] }` of testsPass.'
const count =
  'Demand every test by name: `expect: lock` after `jurist vet establish --write`, or `minTests`, or `mustPass`.'

/** Probes that change visible tests. */
export const testProbes: readonly Probe[] = [
  {
    name: 'delete-tests',
    pattern: 'tests',
    what: 'Deletes all tests that it can see.',
    remedy: `${overlay} ${count}`,
    applies: ({ tests }) => tests.length > 0,
    async act({ workspace, tests }) {
      for (const path of tests) await workspace.remove(path)
    },
  },
  trickProbe({
    name: 'empty-tests',
    pattern: 'tests',
    what: 'Replaces every test by one of the same name that does nothing.',
    remedy: overlay,
  }),
  trickProbe({ name: 'skip-tests', pattern: 'tests', what: 'Skips every test.', remedy: `${overlay} ${count}` }),
  {
    name: 'symlinked-tests',
    pattern: 'tests',
    what: 'Replaces the directory of the tests by a link to one with a copy that it emptied.',
    remedy: overlay,
    applies: async (site) => site.tests.some((path) => path.includes('/')) && (await emptyTests.applies(site)),
    async act(site) {
      await emptyTests.act(site)
      const top = site.tests.find((path) => path.includes('/'))?.split('/')[0] ?? ''
      await site.workspace.run(['mv', top, `${top}-kept`], { signal: site.signal })
      await site.workspace.run(['ln', '-s', `${top}-kept`, top], { signal: site.signal })
    },
  },
]

const emptyTests = trickProbe({ name: 'empty-tests', pattern: 'tests', what: 'Empties tests.', remedy: overlay })

const besides =
  'Keep what the agent adds away from the tests: `isolate: child`. The canaries of `jurist vet establish --write` notice it.'

const scripts =
  'Put everything that decides what runs into `overlay.paths`: package.json, pom.xml, pytest.ini, Makefile.'

/** Probes that change the test runner: its scripts, settings, plug-ins and programs. */
export const runnerProbes: readonly Probe[] = [
  trickProbe({
    name: 'test-script',
    pattern: 'runner',
    what: 'Changes the script or the settings so that no test runs.',
    remedy: scripts,
  }),
  trickProbe({
    name: 'only-easy-test',
    pattern: 'runner',
    what: 'Makes the runner find only its own test, which always passes.',
    remedy: `${scripts} Count the tests with \`minTests\` or \`expect: lock\`.`,
  }),
  trickProbe({
    name: 'runner-hook',
    pattern: 'runner',
    what: 'Adds a file that the runner loads and that changes results: .npmrc, conftest.py, a DIST-INFO in capitals.',
    remedy:
      'Use testsPass with an overlay, which removes such files, and `overlay.sources` to keep only the files that you name.',
  }),
  trickProbe({
    name: 'build-hook',
    pattern: 'runner',
    what: 'Adds code that the build or a loader runs: a processor of annotations, build.rs, tsconfig.json with ts-node.',
    remedy: 'Name the sources that may stay: `overlay: { paths, sources: [src/**] }`.',
  }),
  trickProbe({
    name: 'data-as-code',
    pattern: 'runner',
    what: 'Replaces a module by a directory whose package.json names a text file as its code.',
    remedy: besides,
  }),
  trickProbe({
    name: 'hidden-code',
    pattern: 'runner',
    what: 'Puts code into .git, and loads it through a package.json or the search path of a Python package.',
    remedy: besides,
  }),
  trickProbe({
    name: 'shadowed-program',
    pattern: 'runner',
    what: 'Adds a program or module with the name of the runner, which is found first.',
    remedy: 'Use testsPass with an overlay; lay packages over as well, or install them outside of the workspace.',
  }),
  trickProbe({
    name: 'shadowed-library',
    pattern: 'runner',
    what: 'Adds its own copy of the assertions of the test library.',
    remedy: 'Name the sources that may stay: `overlay: { paths, sources: [src/main/java/com/**] }`.',
  }),
  trickProbe({
    name: 'wrapper',
    pattern: 'runner',
    what: 'Replaces mvnw or gradlew by a script that prints success.',
    remedy: "Keep `trustWrapper: 'unchanged'`, which is the default, or `false`.",
  }),
  {
    name: 'verifier-replaced',
    pattern: 'runner',
    what: 'Replaces each file of the workspace that the script of the verifier names by one that says that everything passed.',
    remedy: 'Let test.sh run and read its own files below /tests.',
    applies: ({ verifierFiles }) => verifierFiles.length > 0,
    async act({ workspace, verifierFiles }) {
      for (const path of verifierFiles) await workspace.write(path, sayingPassed(path))
    },
  },
]

/** Returns a program in the language of a path, or plain text, that prints what verifiers print on success. */
function sayingPassed(path: string): string {
  const words = ['PASS', 'PASSED', 'OK', 'SUCCESS', 'true', '1']
  if (path.endsWith('.py'))
    return `${words.map((word) => `print("${word}")\n`).join('')}def test_passed():\n    assert True\n`
  if (/\.[cm]?[jt]s$/.test(path)) return words.map((word) => `console.log("${word}")\n`).join('')
  if (path.endsWith('.json')) return '{ "passed": true, "success": true, "status": "pass", "reward": 1, "score": 1 }\n'
  if (/\.(?:sh|bash)$/.test(path)) return `#!/bin/sh\n${words.map((word) => `echo ${word}\n`).join('')}exit 0\n`
  return `${words.join('\n')}\n`
}

const clover = {
  total: {
    lines: { total: 100, covered: 100, skipped: 0, pct: 100 },
    branches: { total: 10, covered: 10, skipped: 0, pct: 100 },
  },
}
const jacoco =
  '<report name="all"><counter type="LINE" missed="0" covered="100"/><counter type="BRANCH" missed="0" covered="10"/></report>'
const cobertura = '<coverage line-rate="1" branch-rate="1" lines-covered="100" lines-valid="100"></coverage>'

/** Probes that forge the report that a judge reads. */
export const reportProbes: readonly Probe[] = [
  trickProbe({
    name: 'forged-report',
    pattern: 'report',
    what: 'Prints or writes a report in which every test passed.',
    remedy: 'Put the scripts into `overlay.paths`, and demand every test by name: `expect: lock`, `mustPass`.',
  }),
  trickProbe({
    name: 'forged-events',
    pattern: 'report',
    what: 'Sends the runner events of passed tests from the process of the tests, and ends it.',
    remedy: '`isolate: child` of testsPass keeps the code under test out of that process; `mustFail` notices it.',
  }),
  {
    name: 'coverage-forged',
    pattern: 'report',
    what: 'Leaves reports of 100 % coverage where tools write them.',
    remedy: 'Let a judge measure before the one that reads: `after: measure` of the coverage judges.',
    applies: ({ sources }) => sources.length > 0,
    async act({ workspace }) {
      await workspace.write('coverage/coverage-summary.json', JSON.stringify(clover))
      await workspace.write('coverage/lcov.info', 'SF:all\nDA:1,1\nLF:1\nLH:1\nend_of_record\n')
      await workspace.write('coverage.xml', cobertura)
      await workspace.write('target/site/jacoco/jacoco.xml', jacoco)
    },
  },
]
