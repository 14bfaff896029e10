/** The status of a test in the terms of SWE-bench. */
export type LogStatus = 'PASSED' | 'FAILED' | 'SKIPPED' | 'ERROR' | 'XFAIL'

/** The tests that a log names. If several lines name a test, the last one counts. */
export type LogStatuses = ReadonlyMap<string, LogStatus>

/** Some parsers need this, since projects have changed their runners. */
export interface LogOrigin {
  readonly version?: string | undefined
  readonly instanceId?: string | undefined
}

/** Reads the tests of a log. It never throws, since a log is untrusted. */
export type LogParser = (log: string, origin: LogOrigin) => LogStatuses

/** Parsers by their names in SWE-bench datasets, without `parse_log_`. */
export interface LogParsers {
  readonly [name: string]: LogParser
}

/** Registers one parser under several names. */
export function under(parser: LogParser, ...names: readonly string[]): LogParsers {
  return Object.fromEntries(names.map((name) => [name, parser]))
}

/** A longer line does not name a test. It is cut, so that no pattern takes long. */
const longestLine = 20_000

export function linesOf(log: string): readonly string[] {
  return log.split('\n').map((line) => (line.length > longestLine ? line.slice(0, longestLine) : line))
}

export function wordsOf(line: string): readonly string[] {
  const words = line.trim().split(/\s+/)
  return words[0] === '' ? [] : words
}

/** Creates a parser that reads each line separately. */
export function byLine(read: (line: string) => readonly [name: string, status: LogStatus] | undefined): LogParser {
  return (log) => {
    const found = new Map<string, LogStatus>()
    for (const line of linesOf(log)) {
      const test = read(line)
      if (test !== undefined) found.set(...test)
    }
    return found
  }
}

const words: ReadonlyMap<string | undefined, LogStatus> = new Map([
  ...['.', 'ok', 'OK', 'pass', 'passed', 'PASS', 'PASSED'].map((word) => [word, 'PASSED'] as const),
  ...['E', 'F', 'err', 'ERR', 'failed', 'not ok', 'FAIL', 'FAILED'].map((word) => [word, 'FAILED'] as const),
  ...['O', 'ignore', 'skip', 'SKIP'].map((word) => [word, 'SKIPPED'] as const),
])

/** Creates a parser of lines with the groups `name` and `result`. `result` is one of `words`. */
export function lines(pattern: RegExp): LogParser {
  return byLine((line) => {
    const { name, result } = pattern.exec(line.trim())?.groups ?? {}
    const status = words.get(result)
    return name === undefined || status === undefined ? undefined : [name, status]
  })
}
