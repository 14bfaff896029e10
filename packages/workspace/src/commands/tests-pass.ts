import { basename } from 'node:path'
import type { Judge } from '@jurist/core'
import { describeJudge } from '@jurist/core/internal'
import { type PackageManager, plainTool, reportName, testScript, wrappedTool } from './build-tools.js'
import { type CommandLine, checkedCommand, displayed, splitArguments, type WordOrOptions } from './command-evidence.js'
import type { Prepare } from './command-target.js'
import { judgeByTool, type ToolDescription, toolOptions } from './command-target.js'
import { mayAskNode, runsNodeTests } from './node-reporter.js'
import type { SteeredTool } from './steering-files.js'
import { checkedTestOptions, type Overlay, type TestOptions, testRules } from './test-options.js'
import { testRunJudge } from './test-run.js'

type Factory = (...given: readonly WordOrOptions<TestOptions>[]) => Judge

/** Judges that run the tests of the workspace and read their report. Arguments never go through a shell. */
export interface TestsPass {
  /** Runs Maven goals. Default: `test`. */
  maven(...goals: readonly WordOrOptions<TestOptions>[]): Judge
  /** Runs Gradle tasks. Default: `test`. */
  gradle(...tasks: readonly WordOrOptions<TestOptions>[]): Judge
  /**
   * Runs a script of `package.json`, by default `test`. Vitest, Jest, Mocha and `node --test` get options for their
   * report.
   */
  npm(...script: readonly WordOrOptions<TestOptions>[]): Judge
  /** Like `npm`, with pnpm. */
  pnpm(...script: readonly WordOrOptions<TestOptions>[]): Judge
  /** Like `npm`, with Yarn. */
  yarn(...script: readonly WordOrOptions<TestOptions>[]): Judge
  /** Runs `cargo test` by default. Its printed results are the report. */
  cargo(...args: readonly WordOrOptions<TestOptions>[]): Judge
  /** Runs `go test -json`, by default on `./...`. */
  go(...args: readonly WordOrOptions<TestOptions>[]): Judge
  /** Runs pytest with a JUnit report. */
  pytest(...args: readonly WordOrOptions<TestOptions>[]): Judge
  /** Runs any command. A string runs as a shell line; an array never goes through a shell. */
  command(command: string | readonly string[], options?: TestOptions): Judge
}

/**
 * Creates judges that run the tests of the workspace and give their report precedence over the exit code. With an
 * overlay, they run in a copy, with the tests of the reference instead of those the agent may have changed.
 *
 * @example
 * import { testsPass } from '@jurist/workspace/commands'
 *
 * testsPass.npm('test', { overlay: { paths: ['tests', 'package.json'] } })
 */
export const testsPass: TestsPass = Object.freeze<TestsPass>({
  maven: reporting('maven', (words, { trustWrapper }) => wrappedTool('maven', orTest(words), trustWrapper)),
  gradle: reporting('gradle', (words, { trustWrapper }) => wrappedTool('gradle', orTest(words), trustWrapper)),
  npm: scriptFactory('npm'),
  pnpm: scriptFactory('pnpm'),
  yarn: scriptFactory('yarn'),
  cargo: reporting('cargo', (words) => plainTool('cargo', orTest(words))),
  go: reporting('go', goTest),
  pytest: reporting('pytest', (words, { reports }) => pytest(words, reports === undefined)),
  command(command, options) {
    const name = 'testsPass.command'
    const line = checkedCommand(name, command)
    return testRunJudge(
      { name, tool: 'command', words: line, prepare: testCommand(line) },
      checkedTestOptions(name, options),
    )
  },
})

interface DescribedTests extends ToolDescription, Omit<TestOptions, 'overlay'> {
  readonly overlay?: Omit<Overlay, 'from'> & { readonly from?: string }
}

describeJudge<DescribedTests>(testsPass, {
  passes: 'the tests of the workspace pass, by their report',
  options: { ...toolOptions(testsPass), ...testRules },
  make: async ({ overlay, ...described }, config) => {
    const { from, ...laid } = overlay ?? {}
    const over = overlay && { overlay: from === undefined ? overlay : { ...laid, from: await config.workspace(from) } }
    return judgeByTool('testsPass', { ...testsPass }, { ...described, ...over })
  },
})

function factory(
  tool: SteeredTool,
  prepare: (words: readonly string[], options: TestOptions) => Prepare,
  defaults: TestOptions = {},
): Factory {
  const name = `testsPass.${tool}`
  return (...given) => {
    const { words, options } = splitArguments(name, given)
    const checked = checkedTestOptions(name, options)
    return testRunJudge({ name, tool, words, prepare: prepare(words, checked) }, { ...defaults, ...checked })
  }
}

/** A tool that always reports what it ran: no report means that nothing ran, whatever the exit code is. */
function reporting(tool: SteeredTool, prepare: (words: readonly string[], options: TestOptions) => Prepare): Factory {
  return factory(tool, prepare, { minTests: 1 })
}

function scriptFactory(manager: PackageManager): Factory {
  return factory(manager, (words, { reports }) => testScript(manager, orTest(words), reports === undefined))
}

function orTest(words: readonly string[]): readonly string[] {
  return words.length === 0 ? ['test'] : words
}

/** Runs `go test` with its events as JSON. The argument `test` may be omitted. */
function goTest(words: readonly string[]): Prepare {
  const [first, ...rest] = words.length === 0 ? ['test', './...'] : words
  const args = first === 'test' ? rest : words
  return async () => ({ command: ['go', 'test', '-json', ...args], metadata: { tool: 'go', wrapper: false } })
}

/** Output from before code under test ended the process must not be lost: it shows that the run was cut short. */
const unbuffered = { PYTHONUNBUFFERED: '1' }

/** Makes pytest write a JUnit report, unless the arguments or the user name one. */
function pytest(words: readonly string[], wantsReport: boolean): Prepare {
  const asks = wantsReport && !words.some((word) => /^--junit-?xml\b/.test(word))
  return async () => {
    const known = { metadata: { tool: 'pytest', wrapper: false }, env: unbuffered }
    if (!asks) return { command: ['pytest', ...words], ...known }
    const reportFile = reportName('xml')
    return { command: ['pytest', ...words, `--junitxml=${reportFile}`], ...known, reportFile }
  }
}

/** Runs any command. One that runs Node gets the report of its test runner. */
export function testCommand(command: CommandLine): Prepare {
  const line = typeof command === 'string' ? command : displayed([basename(command[0] ?? ''), ...command.slice(1)])
  const asked = { asksNode: mayAskNode(line), demandsReport: runsNodeTests(line) }
  return async () => ({ command, metadata: {}, env: unbuffered, ...asked })
}
