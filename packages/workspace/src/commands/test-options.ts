import type { Workspace } from '@jurist/core'
import {
  arrayOf,
  checkOptions,
  described,
  isPlainObject,
  nonBlank,
  normalizePath,
  type OptionDescriptions,
  type OptionRule,
  option,
  optionInvalid,
  propertiesOf,
  referenceOption,
} from '@jurist/core/internal'
import { exitCodeRule } from './command-evidence.js'
import { type BuildOptions, buildRules } from './command-target.js'

/**
 * Files that replace those in a copy of the workspace before its tests run, so that the agent cannot have changed them.
 */
export interface Overlay {
  /** The source of the files. Default: the reference of the context. */
  readonly from?: Workspace
  /** Files and directories, each replaced as a whole. */
  readonly paths: readonly string[]
  /**
   * Globs of files that steer a run, relative to the root or to `cwd`. Those that are not laid over and that neither
   * `before` nor the reference nor `from` has are removed for the run. Those that the agent changed are restored,
   * unless they define the build (`build.gradle`, `pyproject.toml`, `Makefile`). Default: the files that the tool looks
   * for by itself, such as `.npmrc`, `.mvn/jvm.config` or `conftest.py`. Packages are searched only if a glob begins
   * with `node_modules`. `[]` leaves everything.
   */
  readonly absent?: readonly string[]
  /**
   * Globs of the files that the agent may add, such as `['src/**']`. If they are given, every file that only the agent
   * has and that matches none of them is removed for the run, except packages in `node_modules`. Default: only the
   * files that match `absent` are removed.
   */
  readonly sources?: readonly string[]
  /**
   * With `isolate`, globs of data that the agent writes and the tests themselves read, such as `['config/*.json']`.
   * Only files that contain nothing but data are copied next to the tests, never a manifest or settings of a tool.
   * Default: none. Data that the code under test reads is always available to it.
   */
  readonly data?: readonly string[]
}
/** Options of the judges in `testsPass`. */
export interface TestOptions extends BuildOptions {
  /**
   * Globs of the report files. Default: the usual places of Maven, Gradle and JUnit, or otherwise the output of the
   * command. If given, a report is required: a run without one ran no test.
   */
  readonly reports?: string | readonly string[]
  /**
   * Ids of tests that failed before and must pass now, spelled as in the report or as the tool spells them
   * (`tests/test_a.py::TestA::test_b[1]`). With `mustPass` or `mustStayPassing`, nothing else decides. A test that was
   * not run fails. An id that no test of the reference has either is an ERROR, `test-unknown`, which names the nearest
   * id. Default: every test decides.
   */
  readonly mustPass?: readonly string[]
  /** Ids of tests that passed before and must still pass. Default: every test decides. */
  readonly mustStayPassing?: readonly string[]
  /**
   * Ids of tests with a wrong expectation, next to the right ones: a run that does not report each of them as failed is
   * not believed. Code that makes every assertion hold, or that answers in the name of the tests, cannot distinguish
   * them from the others. Default: none.
   */
  readonly mustFail?: readonly string[]
  /**
   * `'lock'`: the tests in the item's `tests.lock.json`, which `jurist vet establish --write` finds by running them, become
   * `mustPass` and `mustStayPassing`. Each must have run and passed; a missing one fails. Default: no lock is used.
   */
  readonly expect?: 'lock'
  /** Makes the tests run in a copy that is thrown away. Default: they run in place. */
  readonly overlay?: Overlay
  /**
   * `'child'`: the code under test runs in a separate process, in a copy without the hidden tests, and only values come
   * from it (JavaScript, TypeScript and Python; requires an overlay). So it can neither read the tests nor change what
   * they, the assertions or the runner do. Values are JSON, and dates, maps, sets, bytes and tuples. Other arguments
   * and results, such as callbacks, are an ERROR, `not-isolatable`. Default: code and tests share a process.
   */
  readonly isolate?: 'child'
  /**
   * Whether the canaries in the item's `tests.lock.json` run next to hidden tests: tests with a changed expectation,
   * found by `jurist vet establish --write`, that a correct solution must fail. Default `true`.
   */
  readonly canaries?: boolean
  /**
   * The lowest number of tests that must have run, not counting skipped ones. Default 1. If given, a report or the
   * counts that a known runner prints are required. They are also required by an overlay, by `reports`, and by the
   * tools that always report what they ran: Maven, Gradle, Cargo, Go, pytest, and scripts of Vitest, Jest, Mocha and
   * `node --test`. With 0, they are not required, and the exit code decides.
   */
  readonly minTests?: number
  /** The exit code or codes of a run that succeeds. Default 0. */
  readonly exitCode?: number | readonly number[]
}

const globs: OptionRule = arrayOf('an array of globs', nonBlank)

/** In a config, `from` is a directory. */
const overlayOptions: OptionDescriptions<Omit<Overlay, 'from'>> = {
  paths: described(option.strings, 'Files and directories of the reference, each replaced whole.'),
  absent: described(
    globs,
    'Globs of files that steer a run; those of the agent are removed. Default: those of the tool.',
  ),
  sources: described(globs, 'Globs of what the agent may add. Default: anything but what `absent` names.'),
  data: described(globs, 'With `isolate`, globs of data of the agent that the tests themselves read.', []),
}

export const testRules: OptionDescriptions<TestOptions> = {
  ...buildRules,
  reports: {
    ...option.either(nonBlank, arrayOf('an array of globs', nonBlank, 1)),
    wants: 'a glob or an array of globs',
    description:
      'Globs of the report files, which must be there. Default: the usual places, else what the command prints.',
  },
  mustPass: described(option.strings, 'Ids of tests that failed before and must pass now.'),
  mustStayPassing: described(option.strings, 'Ids of tests that passed before and must still pass.'),
  mustFail: described(option.strings, 'Ids of tests with a wrong expectation, which must be reported as failed.'),
  expect: described(
    option.oneOf('lock'),
    'The tests that must pass are those of the `tests.lock.json` of the item (`jurist vet establish --write`).',
  ),
  overlay: {
    wants: 'an object with "paths"',
    holds: isPlainObject,
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['paths'],
      properties: propertiesOf({ from: referenceOption, ...overlayOptions }),
    },
    description: 'Tests of the reference that are laid over a copy of the workspace, in which the tests then run.',
  },
  isolate: described(
    option.oneOf('child'),
    'Runs the code under test in a separate process, without the hidden tests (JavaScript, TypeScript, Python).',
  ),
  canaries: described(option.boolean, 'Whether canaries of `tests.lock.json` run beside hidden tests.', true),
  minTests: described(option.integer(0), 'The fewest tests that must have run, skipped ones not counted.', 1),
  exitCode: described(exitCodeRule, 'The exit code, or codes, of success.', 0),
}

/**
 * Checks the options when the judge is created.
 *
 * @throws `option-invalid`; `path-invalid` or `path-escape` for an invalid path of the overlay
 */
export function checkedTestOptions(where: string, options: TestOptions | undefined): TestOptions {
  const given = checkOptions(where, options, testRules)
  if (given.expect !== undefined && (given.mustPass ?? given.mustStayPassing) !== undefined)
    optionInvalid('expect', `${where}: "expect" names the tests already. Leave out the other ids.`)
  if (given.isolate !== undefined && given.overlay === undefined)
    optionInvalid('isolate', `${where}: "isolate" needs an "overlay", the tests to keep from the code.`)
  return given.overlay === undefined ? given : { ...given, overlay: checkedOverlay(where, given.overlay) }
}

function checkedOverlay(where: string, overlay: Overlay): Overlay {
  const { paths = [], ...rest } = checkOptions(`${where}: overlay`, overlay, {
    from: {
      wants: 'a workspace',
      holds: (value) => typeof value === 'object' && value !== null && 'readBytes' in value,
    },
    ...overlayOptions,
  })
  if (paths.length === 0) optionInvalid('overlay', `${where}: the overlay needs "paths", the files to lay over.`)
  const normal = paths.map((path) => normalizePath(path))
  if (normal.includes('.'))
    optionInvalid('overlay', `${where}: the overlay cannot replace the whole workspace; name files.`)
  return { ...rest, paths: normal }
}
