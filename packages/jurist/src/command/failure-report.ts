import { failureOf, JuristError } from '@jurist/core'
import { safeBlock } from '../terminal/safe-text.js'
import type { Terminal } from '../terminal/terminal.js'
import { type ExitCode, exitCodeOf } from './exit-code.js'
import type { GlobalFlags } from './host.js'

const reasons: { readonly [code in Exclude<ExitCode, 0>]: string } = {
  1: 'the evaluation fell short',
  2: 'wrong usage, config or dataset',
  3: 'the tool broke',
  130: 'interrupted',
}

/** The last line of a failing command: the reason and the exit code. */
export function closingLine(code: Exclude<ExitCode, 0>, reason: string = reasons[code]): string {
  return `jurist: ${reason} (exit code ${code})\n`
}

/** Says what broke a command: on stderr for people, and with `--json` as the one document on stdout. */
export function reportFailure(thrown: unknown, { json, debug }: GlobalFlags, terminal: Terminal): void {
  const code = exitCodeOf(thrown)
  const { message } = failureOf(thrown)
  if (json === true) terminal.out(`${JSON.stringify({ error: documentOf(thrown, message) }, null, 2)}\n`)
  const stack = debug === true && thrown instanceof Error ? `\n${thrown.stack}` : ''
  const unexpected = JuristError.is(thrown) ? '' : 'Something broke that should not: '
  const hint = JuristError.is(thrown) || debug === true ? '' : '\nRun it again with --debug to see where.'
  terminal.err(`${terminal.paint.red(safeBlock(`${unexpected}${message}`))}${hint}${safeBlock(stack)}\n`)
  if (code !== 0) terminal.err(closingLine(code))
}

function documentOf(thrown: unknown, message: string) {
  const code = JuristError.is(thrown) ? thrown.code : 'internal'
  return { code, message, remedy: remedyOf(message), details: JuristError.is(thrown) ? thrown.details : {} }
}

/** What follows the first sentence; messages say what is wrong first, and what to do after it. */
function remedyOf(message: string): string | null {
  const end = /[.?!:]\s+(?=\S)/.exec(message)
  return end === null ? null : message.slice(end.index + end[0].length)
}
