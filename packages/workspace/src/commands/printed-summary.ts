import { stripVTControlCharacters } from 'node:util'

/** The number of tests that a runner prints at its end. */
export interface PrintedSummary {
  readonly runner: string
  readonly passed: number
  /** Failed or errored. */
  readonly failed: number
  readonly skipped: number
}

type Counts = Omit<PrintedSummary, 'runner'>
type Groups = readonly (string | undefined)[]
interface SummaryLine {
  readonly runner: string
  readonly pattern: RegExp
  readonly count: (groups: Groups) => Counts
}

const passedWords = new Set(['passed', 'xpassed', 'passing', 'pass'])
const failedWords = new Set(['failed', 'failures', 'failure', 'errors', 'error', 'failing', 'fail'])
const skippedWords = new Set(['skipped', 'xfailed', 'ignored', 'pending', 'todo', 'expected failures'])

/** Parses counts with their words, such as `2 failed, 3 passed`. Unknown words are ignored. */
function counted(text = '', separator: RegExp | string = ', '): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const part of text.split(separator)) {
    const [, number, word = ''] = /^ *(\d+) (?:subtests )?([a-z]+)/.exec(part) ?? []
    if (passedWords.has(word)) counts.passed += Number(number)
    else if (failedWords.has(word)) counts.failed += Number(number)
    else if (skippedWords.has(word)) counts.skipped += Number(number)
  }
  return counts
}

/** Counts all tests, and those that did not pass. */
function outOf(total: string | undefined, failed: readonly (string | undefined)[], skipped = '0'): Counts {
  const bad = failed.reduce((sum, one) => sum + Number(one ?? 0), 0)
  return { passed: Math.max(0, Number(total) - bad - Number(skipped)), failed: bad, skipped: Number(skipped) }
}

/** Most lines do not match this pattern, which saves trying the others. */
const maybe = /\b(?:tests?|pass(?:ed|ing)?|fail(?:ed|ing)?|pending|skip|todo|examples?|runs?|ran)\b/i

/** The patterns match one line, whose length is limited. */
const summaryLines: readonly SummaryLine[] = [
  {
    runner: 'Maven',
    pattern: /^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?$/,
    count: ([run, failures, errors, skipped]) => outOf(run, [failures, errors], skipped),
  },
  {
    runner: 'pytest',
    pattern:
      /^(?:=+ )?((?:no tests ran|\d+ [a-z]+)(?:, \d+ [a-z ]+)*) in [\d.]+ ?s(?:econds)?(?: \([\d:]+\))?(?: =+)?$/,
    count: ([counts]) => counted(counts),
  },
  {
    runner: 'cargo',
    pattern: /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/,
    count: ([passed, failed, ignored]) => ({
      passed: Number(passed),
      failed: Number(failed),
      skipped: Number(ignored),
    }),
  },
  {
    runner: 'cargo-nextest',
    pattern: /^ *Summary \[ *[\d.]+s\] +\d+(?:\/\d+)? tests? run: (.*)$/,
    count: ([counts]) => counted(counts),
  },
  { runner: 'mocha', pattern: /^ {2}(\d+ passing) \(.*\)$/, count: ([counts]) => counted(counts) },
  { runner: 'mocha', pattern: /^ {2}(\d+ (?:pending|failing))$/, count: ([counts]) => counted(counts) },
  { runner: 'Jest', pattern: /^Tests: {2,}(.*), \d+ total$/, count: ([counts]) => counted(counts) },
  { runner: 'Vitest', pattern: /^ *Tests {2}(.*) \(\d+\)$/, count: ([counts]) => counted(counts, '|') },
  {
    runner: 'Deno',
    pattern: /^(?:ok|FAILED) \| (\d+ passed)(?: \(\d+ steps?\))? \| (\d+ failed)/,
    count: ([passed, failed]) => counted(`${passed}, ${failed}`),
  },
  { runner: 'Bun', pattern: /^ (\d+ (?:pass|fail|skip|todo))$/, count: ([counts]) => counted(counts) },
  {
    runner: 'RSpec',
    pattern: /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?$/,
    count: ([total, failures, pending]) => outOf(total, [failures], pending),
  },
  {
    runner: 'Minitest',
    pattern: /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips/,
    count: ([total, failures, errors, skips]) => outOf(total, [failures, errors], skips),
  },
  { runner: 'PHPUnit', pattern: /^OK \((\d+) tests?, \d+ assertions?\)$/, count: ([total]) => outOf(total, []) },
  {
    runner: 'PHPUnit',
    pattern: /^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?(?:, .*)?\.$/,
    count: ([total, errors, failures]) => outOf(total, [errors, failures]),
  },
  {
    runner: 'dotnet',
    pattern: /^ *(?:Passed|Failed)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+),/,
    count: ([failed, passed, skipped]) => ({
      passed: Number(passed),
      failed: Number(failed),
      skipped: Number(skipped),
    }),
  },
  {
    runner: 'CTest',
    pattern: /^\d+% tests passed, (\d+) tests failed out of (\d+)$/,
    count: ([failed, total]) => outOf(total, [failed]),
  },
]

/** Python's `unittest` prints the number of tests on one line and their results on another. */
const unittestTotal = /^Ran (\d+) tests? in [\d.]+s$/
const unittestEnd = /^(?:OK|FAILED)(?: \(([a-z]+(?: [a-z]+)*=\d+(?:, [a-z]+(?: [a-z]+)*=\d+)*)\))?$/

function unittestCounts(total: string, details = ''): Counts {
  const numbers = new Map(details.split(', ').map((detail) => detail.split('=') as [string, string | undefined]))
  const of = (name: string) => numbers.get(name) ?? '0'
  const skipped = Number(of('skipped')) + Number(of('expected failures'))
  return outOf(total, [of('failures'), of('errors'), of('unexpected successes')], String(skipped))
}

/** Finds the summaries in an output, in order of first appearance. Several summaries of one runner are added up. */
export function printedSummaries(output: string): readonly PrintedSummary[] {
  const found = new Map<string, Counts>()
  const add = (runner: string, { passed, failed, skipped }: Counts) => {
    const sum = found.get(runner) ?? { passed: 0, failed: 0, skipped: 0 }
    found.set(runner, {
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    })
  }
  let ran: string | undefined
  for (const line of printedLines(output)) {
    for (const { runner, pattern, count } of maybe.test(line) ? summaryLines : []) {
      const groups = pattern.exec(line)
      if (groups !== null) add(runner, count(groups.slice(1)))
    }
    const end = ran === undefined ? null : unittestEnd.exec(line)
    if (ran !== undefined && end !== null) {
      add('unittest', unittestCounts(ran, end[1]))
      ran = undefined
    }
    ran = unittestTotal.exec(line)?.[1] ?? ran
  }
  return [...found].map(([runner, counts]) => ({ runner, ...counts }))
}

/** No line that a runner prints about itself is longer. */
const maxLineLength = 1_000

/**
 * Yields the lines of an output that have more than one character, without line breaks and control sequences. A line is
 * cut after 1,000 characters, so that processing it takes a limited time, whatever the code under test prints.
 */
export function* printedLines(output: string): Generator<string> {
  for (let start = 0; start <= output.length; ) {
    const found = output.indexOf('\n', start)
    const end = found < 0 ? output.length : found
    const raw = output.slice(start, Math.min(end, start + maxLineLength))
    const line = /[\u001b\u009b]/.test(raw) ? stripVTControlCharacters(raw) : raw
    if (line.length > 1) yield line.endsWith('\r') ? line.slice(0, -1) : line
    start = end + 1
  }
}
