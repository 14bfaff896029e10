import type { Probe } from '../probe.js'
import { trickProbe } from '../trick-probe.js'

const scripts =
  'Put everything that decides what runs into `overlay.paths`: package.json, pom.xml, pytest.ini, Makefile.'

/** The runner of the tests: its scripts, settings, plug-ins and programs. */
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
    what: 'Makes the runner find only a test of its own, which always passes.',
    remedy: `${scripts} Count the tests with \`minTests\` or \`expect: lock\`.`,
  }),
  trickProbe({
    name: 'runner-hook',
    pattern: 'runner',
    what: 'Adds a file that the runner loads and that changes results: .npmrc, conftest.py, .mvn/maven.config.',
    remedy:
      'Use testsPass with an overlay, which removes such files, and `overlay.sources` to keep only the files that you name.',
  }),
  trickProbe({
    name: 'build-hook',
    pattern: 'runner',
    what: 'Adds code that the build or the compiler runs: a processor of annotations, build.rs, postcss.config.cjs.',
    remedy: 'Name the sources that may stay: `overlay: { paths, sources: [src/**] }`.',
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
]
