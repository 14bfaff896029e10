import { isPlainObject } from '@jurist/core/internal'
import { type TestCase, testCase } from './test-report.js'

const maxOutputLength = 2_000
const ends: ReadonlyMap<unknown, TestCase['status']> = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
])

const actions = new Set<unknown>(
  'start run pause cont pass bench fail output skip attr artifacts build-output build-fail'.split(' '),
)

/** Whether a text holds the events of `go test -json`. */
export function isGo(text: string): boolean {
  const first = text.split('\n').find((line) => line.startsWith('{'))
  if (first === undefined) return false
  try {
    return actions.has(eventOf(first)['Action'])
  } catch {
    return false
  }
}

/**
 * The tests in the events of `go test -json`. Other lines, such as those of a build that fails, are passed over.
 *
 * @throws `Error` for an event that is cut off or is none
 */
export function readGo(text: string): readonly TestCase[] {
  const tests: TestCase[] = []
  const outputs = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (!line.startsWith('{')) continue
    const { Action, Package, Test, Output, Elapsed } = eventOf(line)
    if (typeof Test !== 'string') continue
    const id = typeof Package === 'string' ? `${Package}.${Test}` : Test
    const status = ends.get(Action)
    if (Action === 'output' && typeof Output === 'string')
      outputs.set(id, `${outputs.get(id) ?? ''}${Output}`.slice(-maxOutputLength))
    if (status === undefined) continue
    const elapsedMs = typeof Elapsed === 'number' ? Elapsed * 1_000 : null
    tests.push(testCase(id, status, status === 'failed' ? outputs.get(id) : '', elapsedMs))
    outputs.delete(id)
  }
  return tests
}

function eventOf(line: string): { readonly [key: string]: unknown } {
  const event: unknown = JSON.parse(line)
  if (isPlainObject(event)) return event
  throw new Error('an event is no object')
}
