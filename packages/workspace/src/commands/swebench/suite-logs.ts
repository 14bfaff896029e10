import { type LogParser, type LogStatus, linesOf } from './log-status.js'
import { readSuites, type Suite } from './suites.js'

/** What a call of Jest in Calypso looks like; the shell prints it. */
const calypsoCall = ' ./node_modules/.bin/jest '

function calypsoLine(line: string): readonly [string, LogStatus] | 'end' | undefined {
  if (line.startsWith('Test Suites') || line.startsWith('  ● ')) return 'end'
  const [, mark, title] = /^\s+([✓✕])\s([^\n]*)/.exec(line) ?? []
  if (title === undefined) return undefined
  return [/^([^\n]*)\(\d+ms\)$/.exec(title)?.[1] ?? title, mark === '✓' ? 'PASSED' : 'FAILED']
}

/** Jest of Calypso: each call prints suites by their indentation, and marks below them. */
export const calypsoLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let suites: readonly Suite[] = []
  const whole = (names: readonly string[], name: string) => `${names.join(' - ')} - ${name}`.trim()
  for (const call of log.split(calypsoCall).slice(1)) suites = readSuites(call, suites, found, calypsoLine, whole)
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
