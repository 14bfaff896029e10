import { byLine, type LogParser, type LogStatus, linesOf } from './log-status.js'

const built: Readonly<Record<string, LogStatus>> = { SUCCESS: 'PASSED', FAILURE: 'FAILED' }

/**
 * Maven, one test a call: the shell prints the command with `-Dtest=`, Maven says how the build ended. Results are given to
 * the commands in their order, since the two streams mix.
 */
export const mavenLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const waiting: string[] = []
  const early: LogStatus[] = []
  for (const given of linesOf(log)) {
    const line = given.trim()
    const named = line.includes('-Dtest=') ? /-Dtest=(\S+)/.exec(line.slice(lastTest(line)))?.[1] : undefined
    if (named !== undefined) waiting.push(named)
    const result = built[/BUILD (SUCCESS|FAILURE)$/.exec(line)?.[1] ?? '']
    if (result === undefined) continue
    const test = waiting.shift()
    if (test === undefined) early.push(result)
    else found.set(test, result)
  }
  for (const [at, test] of waiting.entries()) {
    const result = early[at]
    if (result !== undefined) found.set(test, result)
  }
  return found
}

/** Where the last `-Dtest=` with a name is. */
function lastTest(line: string): number {
  const last = line.lastIndexOf('-Dtest=')
  return /^-Dtest=\S/.test(line.slice(last)) ? last : line.lastIndexOf('-Dtest=', last - 1)
}

/** JUnit of Ant. */
export const antLog: LogParser = byLine((line) => {
  const [, status, name] = /^\[junit\]\s+\[(PASS|FAIL|ERR)\]\s+(.*)$/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, status === 'PASS' ? 'PASSED' : 'FAILED']
})

/** Gradle that prints `Class > method PASSED`; warnings may come between the name and its status. */
export const gradleLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let waiting: string | undefined
  for (const given of linesOf(log)) {
    const line = given.trim()
    const [, name, status] = /^([^>].+)\s(PASSED|FAILED)$/.exec(line) ?? []
    if (name !== undefined) {
      found.set(name, status as LogStatus)
      waiting = undefined
    } else if (/^[^>]\S*\s+>\s+\S+$/.test(line)) waiting = line
    else if (waiting !== undefined && (line === 'PASSED' || line === 'FAILED')) {
      found.set(waiting, line)
      waiting = undefined
    }
  }
  return found
}
