import { type Check, fail, type Judge, pass, type RunOptions, withInfo } from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  namedStrings,
  type OptionDescription,
  type OptionDescriptions,
  type OptionRule,
  option,
  search,
} from '@jurist/core/internal'
import { checkedCommand, commandOption, displayed, evidenceOf, exitCodeRule } from './command-evidence.js'
import { runningAgain, withEnvironment } from './environment-problem.js'
import { withFirstErrorLine } from './first-error-line.js'

/** Options of `commandSucceeds`. */
export interface CommandOptions {
  /** The exit code or codes that count as success. Default 0. */
  readonly exitCode?: number | readonly number[]
  /** The time limit, in milliseconds. Default 120,000. */
  readonly timeoutMs?: number
  /** The limit of processor time, in milliseconds. It does not depend on how busy the machine is. Default: no limit. */
  readonly cpuMs?: number
  /** A pattern that the output must contain: stdout, a line break, stderr. Default: any output. */
  readonly matches?: RegExp | string
  /** A pattern that the output must not contain. Default: none. */
  readonly notMatches?: RegExp | string
  /** The directory of the workspace in which the command runs. Default: its root. */
  readonly cwd?: string
  /** Additional environment variables. Default: none. */
  readonly env?: { readonly [name: string]: string }
  /** How many bytes of each stream are kept. Default 1 MiB. */
  readonly maxOutputBytes?: number
}

const patternRule: OptionRule = {
  wants: 'a regular expression or its source',
  holds: (value) => typeof value === 'string' || value instanceof RegExp,
  schema: { type: 'string' },
}
export const cpuOption: OptionDescription = described(
  option.positive,
  'Milliseconds of processor time, which a busy machine does not shorten. Default: no limit.',
)
export const directoryOption: OptionDescription = {
  ...described(option.string, 'The directory of the workspace in which the command runs. Default: its root.'),
  isInside: true,
}
export const variablesOption: OptionDescription = {
  ...namedStrings,
  description: 'Environment variables to add.',
}
const rules: OptionDescriptions<CommandOptions> = {
  exitCode: described(exitCodeRule, 'The exit code, or codes, of success.', 0),
  timeoutMs: described(option.positive, 'Milliseconds.', 120_000),
  cpuMs: cpuOption,
  matches: described(patternRule, 'A regular expression that must be found in the output.'),
  notMatches: described(patternRule, 'A regular expression that must not be found in the output.'),
  cwd: directoryOption,
  env: variablesOption,
  maxOutputBytes: described(option.integer(0), 'The maximum size kept of each output stream, in bytes.', 1_048_576),
}

/**
 * Passes when a command in the workspace ends with the expected exit code and its output is as expected.
 *
 * @param command a string runs as a shell line; an array never goes through a shell
 * @throws `option-invalid` for a blank command or an invalid option, `pattern-invalid` for a string that is not a
 * pattern
 *
 * @example
 * import { commandSucceeds } from '@jurist/workspace/commands'
 *
 * commandSucceeds(['node', 'main.js', '--check'], { matches: /all good/ })
 */
export function commandSucceeds(command: string | readonly string[], options?: CommandOptions): Judge {
  const name = 'commandSucceeds'
  const line = checkedCommand(name, command)
  const { exitCode = 0, timeoutMs = 120_000, matches, notMatches, ...running } = checkOptions(name, options, rules)
  const asked = outputTests(matches, notMatches)
  const judge: Judge = async ({ workspace, before, reference, signal }) => {
    const how: RunOptions = { ...running, timeoutMs, signal }
    const wanted = { workspace, command: line, exitCode, timeoutMs, cpuMs: running.cpuMs }
    const evidence = evidenceOf(await workspace.run(line, how), wanted, signal)
    if ('status' in evidence) return evidence
    const { result, shown, check, metadata } = evidence
    const output = `${result.stdout}\n${result.stderr}`
    const checks = [check, ...(result.status === 'exited' ? asked.map((test) => test(output)) : [])]
    const failed = checks.filter(({ passed }) => !passed)
    const reasons = failed.map(({ message }) => message).join('; ')
    if (failed.length === 0) return pass(`${displayed(line)} succeeded`, { checks, metadata })
    const judgment = fail(check.passed ? reasons : withFirstErrorLine(reasons, shown), { checks, metadata })
    if (check.passed) return judgment
    const again = runningAgain(workspace, (copy) => copy.run(line, how), exitCode, signal)
    const originals = [reference, before]
    const cwd = how.cwd ?? '.'
    return withEnvironment(judgment, { command: line, cwd, result, workspace, originals, again, signal })
  }
  return withInfo(judge, { name, runsCommands: true, options: { command, ...options } })
}

function outputTests(
  matches: RegExp | string | undefined,
  notMatches: RegExp | string | undefined,
): readonly ((output: string) => Check)[] {
  return [
    ...(matches === undefined ? [] : [outputTest('output_matches', matches, true)]),
    ...(notMatches === undefined ? [] : [outputTest('output_not_matches', notMatches, false)]),
  ]
}

function outputTest(name: string, pattern: RegExp | string, wanted: boolean): (output: string) => Check {
  const found = search(pattern)
  const words = pattern instanceof RegExp ? String(pattern) : `/${pattern}/`
  return (output) => {
    const isFound = found(output)
    return {
      name,
      passed: isFound === wanted,
      message: `the output ${isFound ? 'matches' : 'does not match'} ${words}`,
    }
  }
}

describeJudge<CommandOptions & { readonly command: string | readonly string[] }>(commandSucceeds, {
  passes: 'a command ends with the expected code and its output is as expected',
  options: { command: commandOption, ...rules },
  required: ['command'],
  make: ({ command, ...options }) => commandSucceeds(command, options),
})
