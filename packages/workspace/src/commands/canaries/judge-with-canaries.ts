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

/** How tests are judged together with their canaries. */
export interface CanaryJudging {
  readonly set: CanarySet
  /** Runs the tests in a copy of its own with these versions; `undefined` where they cannot be laid. */
  readonly run: (lay: Lay) => Promise<TestRun | Judgment | undefined>
  /** The judgment on tests by their report. */
  readonly grade: (run: TestRun) => Judgment
  /** Runs and judges the tests as they are. */
  readonly plain: () => Promise<Judgment>
  /** The files that only the agent has, for people who look for the cause. */
  readonly added: () => Promise<readonly string[]>
}

/**
 * The judgment on tests in which every canary must fail. A pass comes from runs in which right and wrong expectations are
 * mixed; any other judgment is that of the tests as they are, or says that they cannot fail.
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
    // One run has every test as it is, two runs have a part of them each.
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

/** The tests of a part, and as passed those that are changed in it: the other part says how they end. */
function withAssumed(real: readonly TestCase[], lay: Lay): readonly TestCase[] {
  const changed = lay.flatMap((side) => [...side.changed].flatMap(({ tests }) => tests))
  return orderedTests([...real, ...changed.map((id) => testCase(id, 'passed'))])
}

/** The tests as they are decide; what passes them although it did not beside canaries shows that they cannot fail. */
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
  // Values are for people who look into the result: agents read reasons and checks.
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
