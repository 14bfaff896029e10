import { type LogStatus, linesOf } from './log-status.js'

/** A heading above tests. */
export interface Suite {
  readonly name: string
  readonly indent: number
}

/** The suites that a heading with this indentation is in, and itself. */
function within(suites: readonly Suite[], name: string, indent: number): readonly Suite[] {
  return [...suites.filter((suite) => suite.indent < indent), { name, indent }]
}

/** How far a line is indented. */
function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** What a line says: a test, that it is to be left out, that the results are over, or nothing of these. */
type Read = readonly [name: string, status: LogStatus] | 'skip' | 'end' | undefined

/** Adds the tests below suites that are indented, and returns the suites at the end. */
export function readSuites(
  text: string,
  before: readonly Suite[],
  found: Map<string, LogStatus>,
  read: (line: string) => Read,
  whole: (suites: readonly string[], name: string) => string = (names, name) => [...names, name].join(' - '),
): readonly Suite[] {
  let suites = before
  for (const line of linesOf(text)) {
    const test = read(line)
    if (test === 'end') return suites
    if (test === 'skip') continue
    if (test !== undefined) {
      const names = suites.map(({ name }) => name)
      found.set(whole(names, test[0]), test[1])
    } else if (indentOf(line) > 0) suites = within(suites, line.trim(), indentOf(line))
  }
  return suites
}
