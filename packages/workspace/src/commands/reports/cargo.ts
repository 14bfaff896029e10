import { type TestCase, testCase } from './test-report.js'

const beginning = /^running (\d+) tests?$/
const resultLine = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$/
const summary = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured;/
const statuses: ReadonlyMap<string | undefined, TestCase['status']> = new Map([
  ['ok', 'passed'],
  ['FAILED', 'failed'],
  ['ignored', 'skipped'],
])

/** One test program of those that `cargo test` runs. */
interface Program {
  readonly planned: number
  readonly tests: TestCase[]
}

/**
 * The tests that `cargo test` printed, one program after the other; a program that began and did not end is an errored
 * test. `undefined` when no program began, or when all ended and one named fewer tests than it counted, as with `--quiet`.
 */
export function readCargo(lines: Iterable<string>): readonly TestCase[] | undefined {
  const tests: TestCase[] = []
  const times = new Map<string, number>()
  let isNamed = true
  let isLost = false
  let open: Program | undefined
  const lose = () => {
    if (open === undefined) return
    tests.push(...open.tests, testCase('(cargo test)', 'errored', lostMessage(open)))
    isLost = true
    open = undefined
  }
  for (const line of lines) {
    const [, planned] = beginning.exec(line) ?? []
    if (planned !== undefined) {
      lose()
      open = { planned: Number(planned), tests: [] }
    } else if (open !== undefined) {
      const counts = summary.exec(line)
      const test = counts === null ? resultOf(line, times) : undefined
      if (test !== undefined) open.tests.push(test)
      if (counts === null) continue
      const counted = counts.slice(1).reduce((sum, count) => sum + Number(count), 0)
      if (counted !== open.planned) lose()
      else {
        isNamed &&= open.tests.length === counted
        tests.push(...open.tests)
        open = undefined
      }
    }
  }
  lose()
  return isLost || (isNamed && tests.length > 0) ? tests : undefined
}

function lostMessage({ planned }: Program): string {
  return `a program of ${planned} tests began and did not come to its end`
}

/** Two programs may have a test of the same name, and both count. */
function resultOf(line: string, times: Map<string, number>): TestCase | undefined {
  const [, name = '', word] = resultLine.exec(line) ?? []
  const status = statuses.get(word)
  if (status === undefined) return undefined
  const time = (times.get(name) ?? 0) + 1
  times.set(name, time)
  return testCase(time === 1 ? name : `${name} (${time})`, status)
}
