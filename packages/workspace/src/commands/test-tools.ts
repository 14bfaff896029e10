import { basename } from 'node:path'
import { type CommandLine, displayed } from './command-line.js'
import { mayAskNode, runsNodeTests } from './node-reporter.js'
import { reportName } from './script-tools.js'
import type { Prepare } from './site.js'

/** `go test` with its events as JSON; the word `test` may be left out. */
export function goTest(words: readonly string[]): Prepare {
  const [first, ...rest] = words.length === 0 ? ['test', './...'] : words
  const args = first === 'test' ? rest : words
  return async () => ({ command: ['go', 'test', '-json', ...args], metadata: { tool: 'go', wrapper: false } })
}

/** pytest, told to write a JUnit report unless the words or the user name one. */
export function pytest(words: readonly string[], wantsReport: boolean): Prepare {
  const asks = wantsReport && !words.some((word) => /^--junit-?xml\b/.test(word))
  return async () => {
    // What was printed before code under test ended the process must not be lost: it tells that the run broke off.
    const known = { metadata: { tool: 'pytest', wrapper: false }, env: { PYTHONUNBUFFERED: '1' } }
    if (!asks) return { command: ['pytest', ...words], ...known }
    const reportFile = reportName('xml')
    return { command: ['pytest', ...words, `--junitxml=${reportFile}`], ...known, reportFile }
  }
}

/** Any command; one that runs Node is asked for the report of its test runner. */
export function testCommand(command: CommandLine): Prepare {
  const line = typeof command === 'string' ? command : displayed([basename(command[0] ?? ''), ...command.slice(1)])
  const asked = { asksNode: mayAskNode(line), demandsReport: runsNodeTests(line) }
  return async () => ({ command, metadata: {}, ...asked })
}
