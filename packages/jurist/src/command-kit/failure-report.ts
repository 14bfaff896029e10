import { JuristError, type Problems } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ExitCode, GlobalFlags } from '@jurist/experiment/plugin'
import { calledAs } from '@jurist/kit/command-line'
import { safeBlock } from '@jurist/kit/terminal'
import type { Terminal } from '../terminal/terminal.js'

const reasons: { readonly [code in Exclude<ExitCode, 0>]: string } = {
  1: 'the evaluation missed its goal',
  2: 'wrong usage, config or dataset',
  3: 'the tool failed',
  130: 'interrupted',
}

/** Formats the last line of a failing command: the reason and the exit code. */
export function closingLine(code: Exclude<ExitCode, 0>, reason: string = reasons[code]): string {
  return `jurist: ${reason} (exit code ${code})\n`
}

/** Prints the reason for a failure to stderr, and with `--json` also as the only document on stdout. */
export function reportFailure(
  thrown: unknown,
  { json, debug }: GlobalFlags,
  terminal: Terminal,
  code: ExitCode = exitCodeOf(thrown),
): void {
  const { message } = failureOf(thrown)
  if (json === true) terminal.out(`${JSON.stringify({ error: documentOf(thrown, message) }, null, 2)}\n`)
  const stack = debug === true && thrown instanceof Error ? `\n${thrown.stack}` : ''
  const unexpected = JuristError.is(thrown) ? '' : 'Unexpected error: '
  const hint = JuristError.is(thrown) || debug === true ? '' : '\nRun it again with --debug to see where.'
  terminal.err(`${terminal.style.red(safeBlock(`${unexpected}${message}`))}${hint}${safeBlock(stack)}\n`)
  if (code !== 0) terminal.err(closingLine(code))
}

function documentOf(thrown: unknown, message: string) {
  if (!JuristError.is(thrown)) return { code: 'internal', message, remedy: null, details: {} }
  const { code, details } = thrown
  return { code, message, remedy: remedyOf(thrown, message), details }
}

/**
 * Returns one remedy per line: those of all issues, otherwise the text after the first sentence of each line of the
 * message.
 */
function remedyOf(thrown: JuristError, message: string): string | null {
  const remedies = issuesOf(thrown).map(({ remedy }) => remedy)
  const lines = remedies.length > 0 ? remedies : message.split('\n').map(afterFirstSentence)
  const remedy = [...new Set(lines)].filter((line) => line !== '').join('\n')
  if (remedy !== '') return remedy
  return exitCodeOf(thrown) === 2 ? `See what the command accepts: ${calledAs()} <command> --help` : null
}

function issuesOf({ details }: JuristError): readonly { readonly remedy: string }[] {
  const { issues } = details as { readonly issues?: unknown }
  if (!Array.isArray(issues)) return []
  return issues.filter((issue: unknown): issue is { readonly remedy: string } => {
    return typeof issue === 'object' && issue !== null && 'remedy' in issue && typeof issue.remedy === 'string'
  })
}

/** Messages begin with the problem; the rest is the remedy. */
function afterFirstSentence(line: string): string {
  const end = /[.?!]\s+(?=\S)/.exec(line) ?? /:\s+(?=\S)/.exec(line)
  return end === null ? '' : line.slice(end.index + end[0].length)
}

/** Codes for failures of the tool or the disk. Every other code is a usage error. */
const broken: ReadonlySet<keyof Problems> = new Set<keyof Problems>([
  'store-failed',
  'statistic-invalid',
  'verdict-invalid',
])

/** Returns the exit code for an exception. */
export function exitCodeOf(thrown: unknown): ExitCode {
  if (!JuristError.is(thrown)) return 3
  if (JuristError.is(thrown, 'aborted')) return 130
  if (JuristError.is(thrown, 'merge-incomplete')) return 1
  return broken.has(thrown.code) ? 3 : 2
}
