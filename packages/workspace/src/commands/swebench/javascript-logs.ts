import { byLine, type LogParser, type LogStatus, linesOf } from './log-status.js'

const marks: Readonly<Record<string, LogStatus>> = {
  '✓': 'PASSED',
  '✔': 'PASSED',
  '✕': 'FAILED',
  '×': 'FAILED',
  '✖': 'FAILED',
  '○': 'SKIPPED',
  '↓': 'SKIPPED',
}

/** A line that begins with one of the marks, whose name ends before what `timing` matches. */
function marked(only: string, timing: RegExp): LogParser {
  return byLine((given) => {
    const line = given.trim()
    const [mark = ''] = line
    const status = only.includes(mark) ? marks[mark] : undefined
    if (status === undefined || !/^\s[^\n]/.test(line.slice(mark.length))) return undefined
    const rest = line.slice(mark.length + 1)
    const time = timing.exec(rest)
    return [time === null || time.index === 0 ? rest : rest.slice(0, time.index), status]
  })
}

/** Jest with `--verbose`. The time is only printed for slow tests. */
export const jestLog: LogParser = (log, origin) => {
  const found = marked('✓✕○', /\s\(\d+\s*m?s\)$/)(log, origin)
  return new Map([...found].map(([name, status]) => [name.trim(), status]))
}

/** Vitest with the reporter `verbose`. */
export const vitestLog: LogParser = marked('✓×↓', /\s(?:\d+\s*m?s?|\[skipped\])$/)

/** The lines `[PASSED] name` that a filter makes of the JSON of Jest. */
export const jestJsonLog: LogParser = byLine((line) => {
  const [, status, name] = /^\[(PASSED|FAILED)\]\s([^\n]+)$/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, status as LogStatus]
})

/** TAP. A name holds what follows the number, directives too. */
export const tapLog: LogParser = byLine((line) => {
  const [, result, name] = /^(ok|not ok) \d+ ([^\n]+)$/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, result === 'ok' ? 'PASSED' : 'FAILED']
})

/** The files that Jest says passed or failed, without their time. */
export const jestFilesLog: LogParser = byLine((line) => {
  const [, status, rest] = /^(PASS|FAIL)\s([^\n]*)/.exec(line) ?? []
  if (rest === undefined) return undefined
  const name = /^(.*)\s\([\d.]+(?:ms|\ss|s)\)/.exec(rest)?.[1] ?? rest
  return [name, status === 'PASS' ? 'PASSED' : 'FAILED']
})

/** The same in Grommet: a file that failed and later passed has passed. */
export const grommetLog: LogParser = (log) => {
  const files = (word: string): readonly string[] =>
    linesOf(log).flatMap((line) =>
      line.startsWith(word) && /\s/.test(line[word.length] ?? '')
        ? [
            line
              .slice(word.length + 1)
              .trim()
              .replace(/\s\([\d.]+\s?(?:ms|s)\)$/, ''),
          ]
        : [],
    )
  const all = [
    ...files('FAIL').map((name) => [name, 'FAILED'] as const),
    ...files('PASS').map((name) => [name, 'PASSED'] as const),
  ]
  return new Map<string, LogStatus>(all)
}

/** Karma with the reporter of Mocha: marks below suites that are indented. */
export const karmaLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const suites: string[] = []
  let [depth, started] = [-1, false]
  for (const line of linesOf(log)) {
    if (line.startsWith('SUMMARY:')) return found
    if (line.includes('Starting browser')) {
      started = true
      continue
    }
    const [, indent = '', mark, name] = (started ? /^(\s*)?([✔✖])?\s([^\n]*)$/.exec(line) : null) ?? []
    if (name === undefined) continue
    if (mark !== undefined) found.set([...suites, name].join(' > '), marks[mark] ?? 'FAILED')
    else if (indent !== '' && indent.length > depth) {
      depth = indent.length
      suites.push(name)
    } else if (indent !== '' && indent.length < depth) {
      depth = indent.length
      suites.pop()
    }
  }
  return found
}
