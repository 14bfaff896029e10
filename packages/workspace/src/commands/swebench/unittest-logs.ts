import { byLine, type LogParser, type LogStatus, linesOf, wordsOf } from './log-status.js'

const passing = [' ... ok', ' ... OK', ' ...  OK'] as const
const versionTest = '--version is equivalent to version'
/** Its migrations print on the line of the test before. */
const chatty = 'Applying sites.0002_alter_domain_unique...test_no_migrations'

/** Verbose unittest, as the runner of Django prints it: `test_a (module.Class) ... ok`. */
export const djangoLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let previous: string | undefined
  for (const given of linesOf(log)) {
    const line = given.trim()
    if (line.includes(versionTest)) found.set(versionTest, 'PASSED')
    if (line.includes(' ... ')) previous = line.split(' ... ', 1)[0]
    for (const [name, status] of djangoLine(line)) found.set(name, status)
    // What a test prints may come between its name and its result.
    if (line.startsWith('ok') && previous !== undefined) found.set(previous, 'PASSED')
  }
  for (const name of interruptedTests(log)) found.set(name, 'PASSED')
  return found
}

function djangoLine(given: string): readonly (readonly [string, LogStatus])[] {
  const suffix = passing.find((end) => given.endsWith(end))
  const line = suffix !== undefined && given.startsWith(chatty) ? given.slice(given.indexOf('...') + 3).trim() : given
  const tests: (readonly [string, LogStatus])[] = []
  if (suffix !== undefined) tests.push([line.slice(0, line.length - suffix.length), 'PASSED'])
  if (line.includes(' ... skipped')) tests.push([before(line, ' ... skipped'), 'SKIPPED'])
  for (const [word, status] of [
    ['FAIL', 'FAILED'],
    ['ERROR', 'ERROR'],
  ] as const) {
    if (line.endsWith(` ... ${word}`)) tests.push([before(line, ` ... ${word}`), status])
    const named = line.startsWith(`${word}:`) ? wordsOf(line)[1] : undefined
    if (named !== undefined) tests.push([named, status])
  }
  return tests
}

function before(line: string, separator: string): string {
  return line.split(separator, 1)[0] ?? ''
}

/** What the runner of Django prints after the name of a test, the result being `ok` on a line of its own. */
const interruptions = [
  { begins: ' ... Testing against Django installed in ', ends: ' silenced).' },
  { begins: ' ... Internal Server Error: /', ends: '/' },
  { begins: ' ... System check identified no issues (0 silenced)', ends: '' },
] as const

/** How many lines such an output may have. */
const mostLines = 50

function interruptedTests(log: string): readonly string[] {
  const lines = linesOf(log)
  return interruptions.flatMap(({ begins, ends }) =>
    lines.flatMap((line, at) => {
      const place = line.indexOf(begins)
      if (place < 0) return []
      const reach = ends === ' silenced).' ? mostLines : 1
      for (let next = at; next < Math.min(at + reach, lines.length - 1); next += 1) {
        const isEnd = ends === '' ? line.length === place + begins.length : (lines[next] ?? '').endsWith(ends)
        if (isEnd && lines[next + 1] === 'ok') return [line.slice(0, place)]
      }
      return []
    }),
  )
}

const letters: Readonly<Record<string, LogStatus>> = { E: 'ERROR', F: 'FAILED', ok: 'PASSED' }

/** The runner of SymPy: `test_a ok`, and a heading of underscores for each failure. */
export const sympyLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  for (const line of linesOf(log)) {
    const failed = headingOf(line)
    if (failed !== undefined) found.set(failed, 'FAILED')
  }
  for (const [name, status] of sympyTests(log, {})) found.set(name, status)
  return found
}

const sympyTests = byLine((given) => {
  const line = given.trim()
  const end = / (E|F|ok)$/.exec(line)?.[1]
  const [name] = wordsOf(line)
  const status = end === undefined ? undefined : letters[end]
  return line.startsWith('test_') && name !== undefined && status !== undefined ? [name, status] : undefined
})

/** `____ path/test_a.py:test_b ____`, read without a pattern that long lines make slow. */
function headingOf(line: string): string | undefined {
  const rest = line.includes(' ') ? line.slice(line.indexOf(' ') + 1) : ''
  const last = rest.lastIndexOf(' ')
  const at = last < 4 ? -1 : rest.lastIndexOf('.py:', last - 4)
  return at < 0 ? undefined : `${rest.slice(0, at)}.py:${rest.slice(at + 4, last)}`
}
