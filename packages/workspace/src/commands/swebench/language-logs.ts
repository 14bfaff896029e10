import { byLine, type LogParser, type LogParsers, type LogStatus, lines, linesOf } from './log-status.js'

const built: Readonly<Record<string, LogStatus>> = { SUCCESS: 'PASSED', FAILURE: 'FAILED' }

/**
 * Maven with one test for each call: the shell prints the command with `-Dtest=`, Maven prints the result of the build.
 * Results are assigned to the commands in order, since the two streams mix.
 */
const mavenLog: LogParser = (log) => {
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

/** The index of the last `-Dtest=` with a name. */
function lastTest(line: string): number {
  const last = line.lastIndexOf('-Dtest=')
  return /^-Dtest=\S/.test(line.slice(last)) ? last : line.lastIndexOf('-Dtest=', last - 1)
}

/** Gradle that prints `Class > method PASSED`. Warnings may come between the name and its status. */
const gradleLog: LogParser = (log) => {
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

/** Minitest, verbose: `Class#test_a. = 0.01 s = .`, read from the end of the line. */
const minitestLog: LogParser = byLine((given) => {
  const line = given.trim()
  const last = Math.max(line.lastIndexOf('.'), line.lastIndexOf('F'), line.lastIndexOf('E'))
  const equals = last < 1 ? -1 : line.lastIndexOf('=', last - 1)
  const end = equals < 2 ? -1 : line.lastIndexOf('. ', equals - 2)
  return end < 1 ? undefined : [line.slice(0, end), line[last] === '.' ? 'PASSED' : 'FAILED']
})

/** Cucumber with the format `progress`. */
const cucumberLog = lines(/^(?<name>[^\n]*) \.+(?<result>\.|F)/)

const redis: Readonly<Record<string, LogStatus>> = { ok: 'PASSED', err: 'FAILED', skip: 'SKIPPED', ignore: 'SKIPPED' }

/** The tests of Redis. The name of a failed one is followed by its file. */
const redisLog: LogParser = byLine((line) => {
  const [, result = '', rest] = /^\[(ok|err|skip|ignore)\]:\s([^\n]+)$/.exec(line.trim()) ?? []
  const status = redis[result]
  if (rest === undefined || status === undefined) return undefined
  const time = /\s\(\d+\s*m?s\)$/.exec(rest)
  const name = time === null || time.index === 0 ? rest : rest.slice(0, time.index)
  return [status === 'FAILED' ? name.replace(/(?<!\s)\s+in\s+\S+$/, '') : name, status]
})

export const languageLogs: LogParsers = {
  ...{ maven: mavenLog, gradle_custom: gradleLog, redis: redisLog, minitest: minitestLog, cucumber: cucumberLog },
  ant: lines(/^\[junit\]\s+\[(?<result>PASS|FAIL|ERR)\]\s+(?<name>.*)$/),
  // Lines with a different end are skipped, since they would take long.
  gotest: lines(/^(?=[^\n]*\)$)--- (?<result>PASS|FAIL|SKIP): (?<name>.+) \(.+\)$/),
  googletest: lines(/^(?=[^\n]*\)$)[^\n]*\[\s*(?<result>OK|FAILED)\s*\]\s(?<name>[^\n]*)\s\([^\n]*\)$/),
  cargo: lines(/^test\s+(?<name>\S+)\s+\.\.\.\s+(?<result>ok|FAILED)$/),
  jq: lines(/^(?<result>PASS|FAIL):\s(?<name>[^\n]+)$/),
  micropython_test: lines(/^(?<result>pass|FAIL|skip)\s+(?<name>[^\n]+)$/),
  ruby_unit: lines(/^(?:test: )?(?<name>[^\n]+):\s+(?<result>\.|E\b|F\b|O\b)/),
  // The output of a filter for the JSON of RSpec.
  rspec_transformed_json: lines(/^(?<name>[^\n]+) - (?<result>passed|failed)/),
  // There are two formats, one for each pull request.
  jekyll: (log, origin) => (/-(?:8761|8771)$/.test(origin.instanceId ?? '') ? cucumberLog : minitestLog)(log, origin),
}
