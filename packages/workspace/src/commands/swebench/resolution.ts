import type { TestCase } from '../reports/test-report.js'
import { testNames } from '../test-names.js'

/** Which tests an instance demands, and how. */
export interface Demands {
  /** Ids of tests that failed before and must pass. */
  readonly failToPass: readonly string[]
  /** Ids of tests that passed before and must still pass. */
  readonly passToPass: readonly string[]
  /** Whether the log names failed tests only: what it does not name has passed. */
  readonly failOnly: boolean
  /** Whether ids may be spelled as tools do, and not only as in the report. */
  readonly otherSpellings: boolean
}

/** A demanded test, and whether it is as it must be. */
export interface Demanded {
  readonly id: string
  readonly passed: boolean
  /** How the log names it; `undefined`: not at all. */
  readonly test: TestCase | undefined
}

/** What a run resolves of an instance. */
export interface Resolution {
  readonly status: 'RESOLVED_FULL' | 'RESOLVED_PARTIAL' | 'RESOLVED_NO'
  readonly failToPass: readonly Demanded[]
  readonly passToPass: readonly Demanded[]
  /** Shares of the tests that are as they must be; 1 where none is demanded. */
  readonly rates: { readonly failToPass: number; readonly passToPass: number }
}

/** What the tests of a run resolve. */
export function resolutionOf(tests: readonly TestCase[], demands: Demands): Resolution {
  const find = finderOf(tests, demands)
  const demanded = (ids: readonly string[], mayBeSkipped: boolean) =>
    ids.map((id): Demanded => {
      const test = find(id)
      return { id, test, passed: isRight(test, demands, mayBeSkipped) }
    })
  const failToPass = demanded(demands.failToPass, false)
  const passToPass = demanded(demands.passToPass, true)
  const rates = { failToPass: share(failToPass), passToPass: share(passToPass) }
  return { status: statusOf(rates), failToPass, passToPass, rates }
}

function isRight(test: TestCase | undefined, { failOnly }: Demands, mayBeSkipped: boolean): boolean {
  if (failOnly) return test?.status !== 'failed'
  return test?.status === 'passed' || (mayBeSkipped && test?.status === 'skipped')
}

function share(all: readonly Demanded[]): number {
  return all.length === 0 ? 1 : all.filter(({ passed }) => passed).length / all.length
}

/** Partly resolved means that some of the bug is gone and nothing else broke. */
function statusOf({ failToPass, passToPass }: Resolution['rates']): Resolution['status'] {
  if (passToPass !== 1 || failToPass === 0) return 'RESOLVED_NO'
  return failToPass === 1 ? 'RESOLVED_FULL' : 'RESOLVED_PARTIAL'
}

function finderOf(
  tests: readonly TestCase[],
  { failOnly, otherSpellings }: Demands,
): (id: string) => TestCase | undefined {
  const byId = new Map(tests.map((test) => [test.id, test]))
  const names = otherSpellings ? testNames(tests) : undefined
  return (id) => {
    const exact = byId.get(id)
    if (exact !== undefined || failOnly) return exact
    const spelled = names?.find(id) ?? []
    // Where an id means several tests, all of them have to be as it must be.
    return truncated(id, tests) ?? spelled.find(({ status }) => status !== 'passed') ?? spelled[0]
  }
}

/** Some datasets cut ids within their parameters. Such an id means what begins with it, where all of that ended alike. */
function truncated(id: string, tests: readonly TestCase[]): TestCase | undefined {
  const count = (bracket: string) => id.split(bracket).length
  if (count('[') <= count(']')) return undefined
  const candidates = tests.filter((test) => test.id.startsWith(id))
  const outcomes = new Set(candidates.map(({ status }) => status === 'passed'))
  return outcomes.size === 1 ? candidates[0] : undefined
}
