import type { Check } from '@jurist/core'
import { escaped, shortened } from '../files/quotation.js'
import type { CommandEvidence } from './command-evidence.js'
import type { TestCase } from './reports/test-report.js'
import { testNames } from './test-names.js'

/** Tests with a wrong expectation: a run that does not report them as failed tells of no other test either. */
export interface Canaries {
  /** The tests of the report that are none. */
  readonly others: readonly TestCase[]
  /** One check for each that was reported as failed. */
  readonly kept: readonly Check[]
  /** One check for each that was not. */
  readonly missed: readonly Check[]
}

/** Tells the tests that must fail from the others. */
export function canariesOf(tests: readonly TestCase[], ids: readonly string[]): Canaries {
  if (ids.length === 0) return { others: tests, kept: [], missed: [] }
  const names = testNames(tests)
  const found = new Map([...new Set(ids)].map((id) => [id, names.find(id)]))
  const all = [...found].map(([id, those]) => canaryCheck(id, those))
  const isCanary = new Set([...found.values()].flat().map(({ id }) => id))
  return {
    others: tests.filter(({ id }) => !isCanary.has(id)),
    kept: all.filter(({ passed }) => passed),
    missed: all.filter(({ passed }) => !passed),
  }
}

function canaryCheck(id: string, tests: readonly TestCase[]): Check {
  const passed = tests.length > 0 && tests.every(({ status }) => status === 'failed')
  const [other] = tests.filter(({ status }) => status !== 'failed')
  const was = other === undefined ? 'was not reported' : `was reported as ${other.status}`
  const message = passed ? 'failed, as it must' : `${escaped(id)} must be reported as failed, but ${was}`
  return { name: shortened(escaped(id)), passed, message: shortened(message) }
}

/** A run whose only failed tests are those that must fail ended as it must, whatever its exit code. */
export function excused(evidence: CommandEvidence, { others, kept, missed }: Canaries): CommandEvidence {
  const isBad = missed.length > 0 || others.some(({ status }) => status === 'failed' || status === 'errored')
  if (kept.length === 0 || isBad || evidence.result.status !== 'exited') return evidence
  const message = `${evidence.check.message}; ${kept.length} of the tests failed, as they must`
  return { ...evidence, check: { ...evidence.check, passed: true, message } }
}
