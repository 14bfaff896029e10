import { readElements } from '../reports/xml-elements.js'
import type { LogParser, LogStatus } from './log-status.js'

/** What is between these in a log is the report. */
const [begin, end] = ['<doctest', '</doctest>'] as const

interface Subcase {
  readonly name: string
  hasFailed: boolean
}

/**
 * doctest of C++ with its reporter `xml`: a subcase is a test, and has passed if each of its expressions has. Test cases
 * without subcases are not in the datasets. A report that is not well-formed names no test.
 */
export const doctestLog: LogParser = (log) => {
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
      // An expression counts for each subcase that it is in.
      if (element === 'Expression' && success !== 'true') for (const subcase of open) subcase.hasFailed = true
    },
    close(element: string): void {
      if (element === 'SubCase') open.pop()
    },
  }
}
