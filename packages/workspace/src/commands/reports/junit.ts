import { createRequire } from 'node:module'
import type * as saxes from 'saxes'
import { withoutForbidden } from '../../encoding.js'
import { type TestCase, testCase } from './test-report.js'

const maxDepth = 256

type Attributes = Readonly<Record<string, string>>

/** Receives the elements of a document, in order. */
interface Elements {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text?(part: string): void
}

/**
 * Reads the elements of an XML document. Characters that XML forbids become U+FFFD.
 *
 * @throws `Error` if it is not well-formed, has a document type or has more than 256 levels
 */
export function readElements(text: string, elements: Elements): void {
  const parser = newParser()
  let depth = 0
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new Error('a document type is declared')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > maxDepth) throw new Error(`it is nested deeper than ${maxDepth} levels`)
    elements.open(name, attributes)
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    elements.close(name)
  })
  parser.on('text', (part) => elements.text?.(part))
  parser.on('cdata', (part) => elements.text?.(part))
  parser.write(withoutForbidden(text)).close()
}

/** Loaded synchronously when the first report is read: reading stays synchronous, and most programs read no report. */
function newParser(): saxes.SaxesParser {
  const { SaxesParser }: typeof saxes = createRequire(import.meta.url)('saxes')
  return new SaxesParser()
}

const maxDetailLength = 2_000
const skippedStatuses = new Set(['notrun', 'disabled', 'skipped'])

interface OpenCase {
  readonly id: string
  readonly elapsedMs: number | null
  status: TestCase['status']
  message: string
}
interface OpenElement {
  readonly name: string
  /** The `name` of a suite, for errors outside its tests. */
  readonly title: string
}

/**
 * Reads the tests of a JUnit report; `undefined` if the root is neither `testsuites` nor `testsuite`.
 *
 * @throws `Error` if it is not well-formed, has a document type or has more than 256 levels
 */
export function readJUnit(text: string): readonly TestCase[] | undefined {
  const open: OpenElement[] = []
  const reading = junitReading()
  let isReport = true
  readElements(text, {
    open(name, attributes) {
      if (open.length === 0) isReport = name === 'testsuites' || name === 'testsuite'
      reading.open(name, attributes, open.at(-1))
      open.push({ name, title: attributes['name'] ?? '' })
    },
    close(name) {
      open.pop()
      reading.close(name)
    },
    text: (part) => reading.text(part, open.at(-1)),
  })
  return isReport ? reading.tests : undefined
}

/** Collects tests from the elements of a report as they open and close. */
function junitReading() {
  const tests: TestCase[] = []
  let current: OpenCase | undefined
  return {
    tests,
    open(name: string, attributes: Attributes, parent: OpenElement | undefined): void {
      if (name === 'testcase') current = openCase(attributes)
      else if (parent?.name === 'testcase' && current !== undefined) mark(current, name, attributes)
      else if (isFault(name) && parent?.name === 'testsuite')
        tests.push(testCase(parent.title, 'errored', attributes['message'] ?? 'the suite broke outside of its tests'))
    },
    text(part: string, element: OpenElement | undefined): void {
      if (current === undefined || element === undefined || !isFault(element.name)) return
      if (current.message.length < maxDetailLength) current.message += part.slice(0, maxDetailLength)
    },
    close(name: string): void {
      if (name !== 'testcase' || current === undefined) return
      tests.push(testCase(current.id, current.status, current.message, current.elapsedMs))
      current = undefined
    },
  }
}

function openCase({ classname = '', name = '', time, status }: Attributes): OpenCase {
  return {
    id: classname === '' ? name : `${classname}#${name}`,
    // Some writers put separators into thousands of seconds.
    elapsedMs: time === undefined || time.trim() === '' ? null : Number(time.replaceAll(',', '')) * 1_000,
    status: status !== undefined && skippedStatuses.has(status) ? 'skipped' : 'passed',
    message: '',
  }
}

function mark(test: OpenCase, name: string, { message }: Attributes): void {
  if (name === 'error') test.status = 'errored'
  else if (name === 'failure' && test.status !== 'errored') test.status = 'failed'
  else if (name === 'skipped' && test.status === 'passed') test.status = 'skipped'
  else return
  if (message !== undefined && name !== 'skipped') test.message = `${message}\n`
}

function isFault(name: string): boolean {
  return name === 'failure' || name === 'error'
}
