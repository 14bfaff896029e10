import { byLine, type LogParser, type LogStatus } from './log-status.js'

/** Minitest, verbose: `Class#test_a. = 0.01 s = .`, read from the end of the line. */
export const minitestLog: LogParser = byLine((given) => {
  const line = given.trim()
  const last = Math.max(line.lastIndexOf('.'), line.lastIndexOf('F'), line.lastIndexOf('E'))
  const equals = last < 1 ? -1 : line.lastIndexOf('=', last - 1)
  const end = equals < 2 ? -1 : line.lastIndexOf('. ', equals - 2)
  return end < 1 ? undefined : [line.slice(0, end), line[last] === '.' ? 'PASSED' : 'FAILED']
})

/** Cucumber with the format `progress`. */
export const cucumberLog: LogParser = byLine((line) => {
  const [, name, result] = /^([^\n]*) \.+(\.|F)/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, result === '.' ? 'PASSED' : 'FAILED']
})

const letters: Readonly<Record<string, LogStatus>> = { '.': 'PASSED', E: 'FAILED', F: 'FAILED', O: 'SKIPPED' }

/** test-unit, verbose. */
export const testUnitLog: LogParser = byLine((line) => {
  const [, name, result = ''] = /^(?:test: )?([^\n]+):\s+(\.|E\b|F\b|O\b)/.exec(line.trim()) ?? []
  const status = letters[result]
  return name === undefined || status === undefined ? undefined : [name, status]
})

/** The lines that a filter makes of the JSON of RSpec. */
export const rspecLog: LogParser = byLine((line) => {
  const [, name, result] = /^([^\n]+) - (passed|failed)/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, result === 'passed' ? 'PASSED' : 'FAILED']
})
