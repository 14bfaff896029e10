import { type Check, fail, type Judgment, numerical } from '@jurist/core'
import { escaped, shortened } from '../../quotation.js'
import { type TestCase, testCase } from '../reports/test-report.js'
import type { TestRun } from '../test-judgment.js'
import {
  type Canary,
  type CanarySet,
  cleanRun,
  drawnSides,
  type Lay,
  orderedTests,
  type ReadRun,
  readRun,
} from './canary-plan.js'

export interface CanaryJudging {
  readonly set: CanarySet
  /** Runs these versions of the tests in a new copy; `undefined` if they cannot be written. */
  readonly run: (lay: Lay) => Promise<TestRun | Judgment | undefined>
  /** Judges tests by their report. */
  readonly grade: (run: TestRun) => Judgment
  /** Runs and judges the unchanged tests. */
  readonly plain: () => Promise<Judgment>
  /** The files that only the agent has, for people who look for the cause. */
  readonly added: () => Promise<readonly string[]>
}

/**
 * Judges tests in which every canary must fail. A pass comes from runs that mix right and wrong expectations. Any other
 * judgment comes from the unchanged tests, or explains that they cannot fail.
 */
export async function judgedWithCanaries(judging: CanaryJudging): Promise<Judgment> {
  const { set, run, grade, plain } = judging
  const runs: { readonly run: TestRun; readonly read: ReadRun }[] = []
  for (const lay of drawnSides(set)) {
    const one = await run(lay)
    if (one === undefined) return withNote(await plain(), 'the tests are not those in which canaries were found')
    const read = 'status' in one ? undefined : readRun(one, lay)
    if (read === undefined || 'status' in one || read.seen < lay.length) return cannotFailUnlessBad(judging, [])
    runs.push({ run: one, read })
    const clean = cleanRun(one, read.real, one.report?.format ?? '')
    // One run contains every unchanged test; each of two runs contains only a part of them.
    const judgment = set.form === 'one-run' ? grade(clean) : undefined
    if (judgment !== undefined && judgment.status !== 'pass') return judgment
    if (read.missed.length > 0)
      return judgment === undefined
        ? cannotFailUnlessBad(judging, read.missed)
        : cannotFail(judging, judgment, read.missed)
    if (
      set.form === 'two-runs' &&
      grade(cleanRun(one, withAssumed(read.real, lay), clean.report?.format ?? '')).status !== 'pass'
    )
      return cannotFailUnlessBad(judging, [])
  }
  const [last] = runs.slice(-1)
  if (last === undefined) return plain()
  const real = orderedTests(runs.flatMap(({ read }) => read.real))
  const judgment = grade(cleanRun(last.run, real, last.run.report?.format ?? ''))
  if (judgment.status !== 'pass') return cannotFailUnlessBad(judging, [])
  const { length } = set.changes
  const check: Check = {
    name: 'canary',
    passed: true,
    message: `${length} ${length === 1 ? 'test' : 'tests'} with a changed expectation failed, as they must`,
  }
  const counted = set.changes.filter(({ counts }) => counts).length
  const metadata = { ...judgment.metadata, canaries: { form: set.form, tests: length, counted } }
  return { ...judgment, checks: [...judgment.checks, check], metadata }
}

/** Returns the tests of a part, with those that are changed in it as passed: the other part contains their result. */
function withAssumed(real: readonly TestCase[], lay: Lay): readonly TestCase[] {
  const changed = lay.flatMap((side) => [...side.changed].flatMap(({ tests }) => tests))
  return orderedTests([...real, ...changed.map((id) => testCase(id, 'passed'))])
}

/** The unchanged tests decide. If they pass although they did not pass next to canaries, they cannot fail. */
async function cannotFailUnlessBad(judging: CanaryJudging, missed: readonly Canary[]): Promise<Judgment> {
  const judgment = await judging.plain()
  return judgment.status === 'pass' ? cannotFail(judging, judgment, missed) : judgment
}

const mostShown = 5

async function cannotFail(
  { set, added }: CanaryJudging,
  { reasoning, metadata }: Judgment,
  missed: readonly Canary[],
): Promise<Judgment> {
  const files = (await added()).map((path) => shortened(escaped(path)))
  const more = files.length > mostShown ? `, and ${files.length - mostShown} more` : ''
  const cause = files.length === 0 ? '' : ` Files that the agent added: ${files.slice(0, mostShown).join(', ')}${more}.`
  const message =
    'the tests cannot fail in this workspace: they pass whatever they expect, or end differently beside other expectations.'
  const said = `${reasoning}, but ${message}${cause}`
  // The values are for people who read the result: agents read reasons and checks.
  const passedCanaries = missed.map(
    ({ file, line, was, became }) => `${file}:${line}: ${shortened(was)} became ${shortened(became)}`,
  )
  return fail(said, {
    score: numerical(0),
    checks: [{ name: 'canary', passed: false, message }],
    metadata: { ...metadata, output: '', canaries: { form: set.form, tests: set.changes.length, passedCanaries } },
  })
}

function withNote(judgment: Judgment, problem: string): Judgment {
  return { ...judgment, metadata: { ...judgment.metadata, canaries: { tests: 0, problem } } }
}
