import { readElements } from '../reports/junit.js'
import { byLine, type LogParser, type LogParsers, type LogStatus, linesOf, under, wordsOf } from './log-status.js'

const statuses: readonly LogStatus[] = ['FAILED', 'PASSED', 'SKIPPED', 'ERROR', 'XFAIL']
const isStatus = (word: string | undefined): word is LogStatus => statuses.some((status) => status === word)

/** `SKIPPED [2] tests/test_a.py:12: reason` counts skipped tests without naming any. */
function isSkipCount(status: string, name: string): boolean {
  return status === 'SKIPPED' && /^\[\d+\]$/.test(name)
}

type Line = readonly [name: string, status: LogStatus] | undefined

/** A line of the short summary of pytest: the status, then the id. */
function summaryLine(line: string): Line {
  if (!statuses.some((status) => line.startsWith(status))) return undefined
  const [status, name] = wordsOf(line.startsWith('FAILED') ? line.replaceAll(' - ', ' ') : line)
  if (!isStatus(status) || name === undefined || isSkipCount(status, name)) return undefined
  return [name, status]
}

/** pytest with `-rA`. */
const pytestLog: LogParser = byLine(summaryLine)

/** pytest whose parameters may be paths: only the last segment counts. */
const pytestOptionsLog: LogParser = byLine((line) => {
  const found = summaryLine(line)
  return found && [withShortPath(found[0]), found[1]]
})

function withShortPath(id: string): string {
  const opening = id.indexOf('[')
  const closing = id.lastIndexOf(']')
  if (opening < 0 || closing < opening) return id
  const [main, parameter] = [id.slice(0, opening), id.slice(opening + 1, closing)]
  const isPath = parameter.startsWith('/') && !parameter.startsWith('//') && !parameter.includes('*')
  return `${main}[${isPath ? `/${parameter.split('/').at(-1)}` : parameter}]`
}

/** Control characters below the space. Colours leave `[32m` behind. */
const control = /[\u0001-\u001f]/g

/** Newer pytest, whose ids may contain spaces, and the older format with the status last. */
const pytestSpacedLog: LogParser = byLine((given) => {
  const line = given.replace(/\[\d+m/g, '').replace(control, '')
  if (statuses.some((status) => line.startsWith(status))) return leadingStatus(line)
  if (!statuses.some((status) => line.endsWith(status))) return undefined
  const words = wordsOf(line)
  const status = words.at(-1)
  return words.length >= 2 && isStatus(status) ? [words.slice(0, -1).join(' '), status] : undefined
})

function leadingStatus(line: string): Line {
  const [status, ...name] = wordsOf(line.startsWith('FAILED') ? (line.split(' - ', 1)[0] ?? '') : line)
  if (!isStatus(status) || name.length === 0 || isSkipCount(status, name[0] ?? '')) return undefined
  return [name.join(' '), status]
}

/** pytest of Matplotlib, whose parameters changed their names between versions of Python. */
const matplotlibLog: LogParser = byLine((line) =>
  summaryLine(line.replaceAll('MouseButton.LEFT', '1').replaceAll('MouseButton.RIGHT', '3')),
)

/** pytest of seaborn: the verbose lines and the summary. */
const seabornLog: LogParser = byLine((line) => {
  const [first, second] = wordsOf(line)
  if (first === undefined || second === undefined) return undefined
  if (line.startsWith('FAILED')) return [second, 'FAILED']
  if (line.includes(' PASSED ')) return second === 'PASSED' ? [first, 'PASSED'] : undefined
  return line.startsWith('PASSED') ? [second, 'PASSED'] : undefined
})

const passing = [' ... ok', ' ... OK', ' ...  OK'] as const
const versionTest = '--version is equivalent to version'
/** The migrations of this test print on the line of the previous test. */
const chatty = 'Applying sites.0002_alter_domain_unique...test_no_migrations'

/** Verbose unittest, as Django's runner prints it: `test_a (module.Class) ... ok`. */
const djangoLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let previous: string | undefined
  for (const given of linesOf(log)) {
    const line = given.trim()
    if (line.includes(versionTest)) found.set(versionTest, 'PASSED')
    if (line.includes(' ... ')) previous = line.split(' ... ', 1)[0]
    for (const [name, status] of djangoLine(line)) found.set(name, status)
    // The output of a test may come between its name and its result.
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

/** Output of Django's runner after the name of a test. The result `ok` follows on a separate line. */
const interruptions = [
  { begins: ' ... Testing against Django installed in ', ends: ' silenced).' },
  { begins: ' ... Internal Server Error: /', ends: '/' },
  { begins: ' ... System check identified no issues (0 silenced)', ends: '' },
] as const

/** The number of lines that such an output may have. */
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
const sympyLog: LogParser = (log) => {
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

/** Reads `____ path/test_a.py:test_b ____` without a pattern that long lines would slow down. */
function headingOf(line: string): string | undefined {
  const rest = line.includes(' ') ? line.slice(line.indexOf(' ') + 1) : ''
  const last = rest.lastIndexOf(' ')
  const at = last < 4 ? -1 : rest.lastIndexOf('.py:', last - 4)
  return at < 0 ? undefined : `${rest.slice(0, at)}.py:${rest.slice(at + 4, last)}`
}

/** The report is between these tags. */
const [begin, end] = ['<doctest', '</doctest>'] as const

interface Subcase {
  readonly name: string
  hasFailed: boolean
}

/**
 * doctest of C++ with its reporter `xml`: a subcase is a test, and has passed if each of its expressions has. Test
 * cases without subcases are not in the datasets. A report that is not well-formed names no test.
 */
const doctestLog: LogParser = (log) => {
  const from = log.indexOf(begin)
  const to = log.indexOf(end, from)
  if (from < 0 || to < 0) return new Map()
  const reading = doctestReading()
  try {
    readElements(log.slice(from, to + end.length), reading)
  } catch {
    return new Map()
  }
  return new Map(reading.all.map(({ name, hasFailed }): [string, LogStatus] => [name, hasFailed ? 'FAILED' : 'PASSED']))
}

function doctestReading() {
  const all: Subcase[] = []
  const open: Subcase[] = []
  let testCase = ''
  return {
    all,
    open(element: string, { name = '', success }: { readonly name?: string; readonly success?: string }): void {
      if (element === 'TestCase') testCase = name
      if (element === 'SubCase') {
        const subcase = { name: `${testCase} > ${name}`, hasFailed: false }
        all.push(subcase)
        open.push(subcase)
      }
      // An expression counts for each subcase that contains it.
      if (element === 'Expression' && success !== 'true') for (const subcase of open) subcase.hasFailed = true
    },
    close(element: string): void {
      if (element === 'SubCase') open.pop()
    },
  }
}

/** Python projects, and readers of XML. */
export const pythonLogs: LogParsers = {
  ...under(pytestLog, 'pytest', 'astroid', 'flask', 'marshmallow', 'pvlib', 'pyvista', 'sqlfluff', 'xarray'),
  ...under(pytestOptionsLog, 'pytest_options', 'pydicom', 'requests', 'pylint'),
  ...under(pytestSpacedLog, 'pytest_v2', 'astropy', 'scikit', 'sphinx'),
  ...{ django: djangoLog, seaborn: seabornLog, sympy: sympyLog, matplotlib: matplotlibLog, doctest: doctestLog },
}
