import { error, type JsonObject, type Judgment, JuristError, type Workspace } from '@jurist/core'
import type { ErrorJudgment } from '@jurist/core/internal'
import { escaped, shortened } from '../quotation.js'
import { breakOf } from './crashed-run.js'
import { laidTexts } from './overlay.js'
import type { TestRun } from './test-judgment.js'
import { countTests, executed, testNames, unloadedSuites } from './test-names.js'

/** A run with required tests, and the means to check those that are not in its report. */
interface Asking {
  /** The required ids. */
  readonly ids: readonly string[]
  readonly run: TestRun
  /** A solution that the agent did not touch. */
  readonly reference: Workspace | undefined
  readonly overlay: { readonly from: Workspace; readonly paths: readonly string[] } | undefined
  /** Runs the tests again in a copy of another workspace. */
  readonly again: (original: Workspace) => Promise<TestRun | Judgment>
  readonly signal: AbortSignal
}

/**
 * Returns the ERROR judgment on ids that no test has, whatever the agent does; `undefined` if every id is known.
 *
 * A test that is not in the report may be missing because of the agent, who must not be able to choose ERROR. So
 * nothing that the agent touched is believed: the id is unknown if a complete run of the reference does not have it
 * either. If the reference cannot run, the source of the tests that were laid over decides, if it contains all their
 * names.
 */
export async function unknownTests(asking: Asking, metadata: JsonObject): Promise<ErrorJudgment | undefined> {
  const { ids, run } = asking
  const names = testNames(run.report?.tests ?? [])
  const missing = ids.filter((id) => names.find(id).length === 0)
  if (missing.length === 0 || !isComplete(run)) return undefined
  const unknown = (await missingInReference(missing, asking)) ?? (await missingInTexts(missing, asking))
  const [test] = unknown
  if (test === undefined) return undefined
  const nearest = names.nearest(test) ?? null
  const others = unknown.length > 1 ? ` (and ${unknown.length - 1} more)` : ''
  const hint = nearest === null ? '' : `; the nearest is ${escaped(nearest)}`
  const reasoning = shortened(
    `no test has the id ${escaped(test)}${others}${hint}. Correct mustPass or mustStayPassing.`,
  )
  return error(reasoning, new JuristError('test-unknown', reasoning, { test, nearest }), { metadata })
}

/** Whether the report contains all tests. */
function isComplete({ evidence, report }: TestRun): boolean {
  if (report === undefined || evidence.result.status !== 'exited') return false
  const { tests } = report
  return (
    executed(countTests(tests)) > 0 &&
    (evidence.check.passed || tests.some(({ status }) => status === 'failed' || status === 'errored')) &&
    unloadedSuites(report.format, tests).length === 0 &&
    breakOf(evidence.result, evidence.check.passed, tests) === undefined
  )
}

/** Finds those that a run of the reference does not have either; `undefined` if it does not run to its end. */
async function missingInReference(
  ids: readonly string[],
  { reference, again, signal }: Asking,
): Promise<readonly string[] | undefined> {
  if (reference?.root === undefined) return undefined
  try {
    const run = await again(reference)
    if ('status' in run || !isComplete(run)) return undefined
    const names = testNames(run.report?.tests ?? [])
    return ids.filter((id) => names.find(id).length === 0)
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof JuristError) return undefined
    throw thrown
  }
}

/** Code that creates names of tests while they run, so that the source need not contain them. */
const madeNames =
  /\$\{|\.each\b|parametri[sz]e|subTest|[sg]etattr|(?:Parameterized|Repeated)Test|TestFactory|@Theory|\.Run\(|\bfor\b|forEach|\.map\(|(?<![\w.])(?:it|test|specify|describe|context|suite)(?:\.\w+)?\s*\(\s*[A-Za-z_$]/

/** Finds those whose names are nowhere in the tests that were laid over; none if a program might create a name. */
async function missingInTexts(ids: readonly string[], { overlay, signal }: Asking): Promise<readonly string[]> {
  if (overlay === undefined) return []
  const text = [...(await laidTexts(overlay.from, overlay.paths, () => true, signal)).values()].join('\n')
  if (madeNames.test(text)) return []
  return ids.filter((id) => !mentions(text, id))
}

/** Whether a source contains the name of a test: the last part of its id, or some of its last words in quotes. */
function mentions(text: string, id: string): boolean {
  const name = id.replace(/\[.*$/s, '').replace(/\s*\(.*\)$/s, '')
  const words = name.split(' ')
  const parts = name.split(/\s*(?:::|[#›>./])\s*/).filter((part) => part !== '')
  const endings = words.map((_, index) => words.slice(index).join(' '))
  const isQuoted = (ending: string) => ['"', "'", '`'].some((quote) => text.includes(`${quote}${ending}${quote}`))
  return text.includes(parts.at(-1) ?? name) || endings.some(isQuoted)
}
