import { type LogParser, type LogStatus, linesOf } from './log-status.js'

interface Suite {
  readonly name: string
  readonly indent: number
}

/** The suites that a heading with this indentation is in, and itself. */
function within(suites: readonly Suite[], name: string, indent: number): readonly Suite[] {
  return [...suites.filter((suite) => suite.indent < indent), { name, indent }]
}

const indentOf = (line: string) => line.length - line.trimStart().length

/** What a call of Jest in Calypso looks like; the shell prints it. */
const calypsoCall = ' ./node_modules/.bin/jest '

/** Jest of Calypso: each call prints suites by their indentation, and marks below them. */
export const calypsoLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let suites: readonly Suite[] = []
  for (const call of log.split(calypsoCall).slice(1))
    for (const line of linesOf(call)) {
      if (line.startsWith('Test Suites') || line.startsWith('  ● ')) break
      const [, mark, title] = /^\s+([✓✕])\s([^\n]*)/.exec(line) ?? []
      if (title !== undefined) {
        const name = /^([^\n]*)\(\d+ms\)$/.exec(title)?.[1] ?? title
        found.set(
          `${suites.map((suite) => suite.name).join(' - ')} - ${name}`.trim(),
          mark === '✓' ? 'PASSED' : 'FAILED',
        )
      } else if (indentOf(line) > 0) suites = within(suites, line.trim(), indentOf(line))
    }
  return found
}

/** Mocha of highlight.js: the last heading, and marks and numbers below it. What follows the counts is no test. */
export const highlightLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const summary = log.search(/\n[ \t]*\d+ passing/)
  let suite: string | undefined
  for (const line of linesOf(summary < 0 ? log : log.slice(0, summary))) {
    const [, mark, title] = /^(✓|✔|\d+\))([^\n]*)/.exec(line.trim()) ?? []
    if (title !== undefined) {
      const name = title.replace(/\(\d+ms\)/g, '').trim()
      const full = [...(suite === undefined ? [] : [suite]), name].join('.')
      found.set(full, mark === '✓' || mark === '✔' ? 'PASSED' : 'FAILED')
    } else if (line.startsWith('  ')) suite = line.trim()
  }
  return found
}

/** PHPUnit with `--testdox`: a suite with its class in brackets, and marks below it. */
export const phpunitLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const statuses: Readonly<Record<string, LogStatus>> = { '✔': 'PASSED', '✘': 'FAILED', '↩': 'SKIPPED' }
  let suite = 'None'
  for (const line of linesOf(log)) {
    const heading = line.endsWith(')') ? /^(\w[^\n]+) \([^\n]+\)$/.exec(line)?.[1] : undefined
    const [, mark = '', name] = heading === undefined ? (/^\s*([✔✘↩])\s*([^\n]*)$/.exec(line) ?? []) : []
    const status = statuses[mark]
    if (heading !== undefined) suite = heading
    else if (name !== undefined && status !== undefined) found.set(`${suite} > ${name}`, status)
  }
  return found
}
