import { JuristError } from '@jurist/core'
import { isPlainObject, optionInvalid } from '@jurist/core/internal'
import { baselineVariant } from '../result/baseline-name.js'
import { summaryOf } from '../result/summarize.js'
import type { Summary } from '../result/summary.js'
import { type RunOverview, type RunResult, trialsOf } from '../result/trial-figures.js'
import type { ResultStore, RunEntry } from '../store/store.js'
import { type CompareOptions, checkAmounts, compareSettings } from './compare-options.js'
import type { ComparedRun, Comparison, ItemChange } from './comparison.js'
import { conditionDifferences } from './conditions.js'
import { comparisonNotes, judgeNotes, userFaultTally } from './notes.js'
import { pairTrials } from './pair-trials.js'
import { comparisonTally, conclusionOf, moreItemsNeeded } from './tally.js'

/**
 * Compares two runs item by item: trials of the same item and repetition are pairs, and every mean is one of items, so that
 * repetitions make the figures of an item more exact and give it no more weight. Pure: nothing is read or written.
 *
 * @throws `conditions-differ` when the runs were measured under conditions that differ and may not, naming all;
 * `option-invalid`
 *
 * @example
 * import { compare } from '@jurist/experiment/compare'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const { conclusion, passRate, items } = compare(aResult(), aResult())
 * const regressed = items.filter(({ status }) => status === 'regressed')
 */
export function compare(baseline: RunResult, candidate: RunResult, options?: CompareOptions): Comparison {
  const settings = compareSettings(options)
  const differences = conditionDifferences(baseline, candidate, settings)
  const tally = comparisonTally(settings)
  const [before, after] = [trialsOf(baseline), trialsOf(candidate)]
  const users = userFaultTally()
  for (const item of pairTrials(before, after)) {
    tally.add(item)
    users.add(item)
  }
  const { pairs, changedItems, ...totals } = tally.totals()
  const userFaults = users.comparison(settings.alpha)
  // Different fault rates of simulated users bias the remaining trials, so nothing is concluded.
  const conclusion = userFaults?.differs === true ? 'insufficient-data' : conclusionOf(totals.passRate, settings)
  const comparison = {
    baseline: comparedRun(baseline),
    candidate: comparedRun(candidate),
    ...totals,
    unpairedTrials: before.length + after.length - 2 * pairs,
    ...(userFaults === null ? {} : { userFaults }),
    conclusion,
    alpha: settings.alpha,
    moreItems: userFaults?.differs === true ? null : moreItemsNeeded(conclusion, totals.passRate, settings),
    differences,
  }
  const notes = [...judgeNotes('baseline', baseline), ...judgeNotes('candidate', candidate)]
  return { ...comparison, notes: [...notes, ...comparisonNotes(comparison, changedItems)] }
}

function comparedRun(result: RunResult): ComparedRun {
  const { id, experimentName, variant, startedAt } = result
  let summary: Summary | undefined
  return {
    id,
    experimentName,
    variant,
    startedAt,
    get summary() {
      summary ??= summaryOf(result)
      return summary
    },
  }
}

/** Binary fractions: a drop of exactly the threshold is not below it. */
const accident = 1e-9

/**
 * The items that regressed by more than is allowed: status `regressed`, and a score that is listed fell by more than its
 * threshold. Items that only one run has are never among them.
 *
 * @param thresholds the most that a score may fall on an item, by score
 * @throws `option-invalid` for a threshold that is not a finite number of at least 0
 *
 * @example
 * import { compare, detectRegressions } from '@jurist/experiment/compare'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const comparison = compare(aResult(), aResult())
 * detectRegressions(comparison, { 'rules/build': 0, 'meaning/correct': 0.2 }).map(({ itemId }) => itemId)
 */
export function detectRegressions(
  comparison: Comparison,
  thresholds: Readonly<Record<string, number>>,
): readonly ItemChange[] {
  if (!isPlainObject(thresholds)) optionInvalid('thresholds', 'detectRegressions: give "thresholds", numbers by score.')
  checkAmounts('detectRegressions', 'thresholds', thresholds)
  const listed = Object.entries(thresholds)
  return comparison.items.filter(
    ({ status, scoreDeltas }) =>
      status === 'regressed' &&
      listed.some(
        ([key, threshold]) => Object.hasOwn(scoreDeltas, key) && (scoreDeltas[key] ?? 0) < -threshold - accident,
      ),
  )
}

/**
 * The run to compare with: the one named by `explicit`, else the one that the run itself names as its baseline; of
 * `variant:NAME` that variant in the session of the run. Without a name, and for `latest`: the newest completed run of the
 * same name, variant and kind that started before it, outside of its session. Excluded runs, rejudged ones and the run
 * itself are never chosen by themselves.
 *
 * @returns `undefined` without such a run. A run that was named and is unknown is not replaced by another
 *
 * @example
 * import { compare, resolveBaseline } from '@jurist/experiment/compare'
 * import { fileStore } from '@jurist/experiment/store'
 *
 * const store = fileStore('results')
 * const current = await store.mostRecent('add-readme')
 * const baseline = current && (await resolveBaseline(store, current))
 * if (current && baseline) console.log(compare(baseline, current).conclusion)
 */
export async function resolveBaseline(
  store: ResultStore,
  current: RunResult,
  explicit?: string,
): Promise<RunOverview | undefined> {
  const id = explicit ?? current.baseline
  const variant = baselineVariant(id)
  if (id !== null && id !== 'latest' && variant === undefined) return loadIfKnown(store, id)
  const entry = await (variant === undefined ? newestBefore(store, current) : inSession(store, current, variant))
  return entry === undefined ? undefined : store.overview(entry.id)
}

async function loadIfKnown(store: ResultStore, id: string): Promise<RunOverview | undefined> {
  try {
    return await store.overview(id)
  } catch (thrown) {
    if (JuristError.is(thrown, 'run-unknown')) return undefined
    throw thrown
  }
}

/** The newest run of a variant in the session of a run. */
async function inSession(
  store: ResultStore,
  { id, experimentName, session, kind }: RunResult,
  variant: string,
): Promise<RunEntry | undefined> {
  if (session === null) return undefined
  for await (const entry of store.list({ experimentName, session, variant, kind }))
    if (entry.id !== id && entry.shard === undefined) return entry
  return undefined
}

/** The newest run before the current one. */
async function newestBefore(store: ResultStore, current: RunResult): Promise<RunEntry | undefined> {
  const { experimentName, startedAt, variant, session } = current
  const kind = current.kind === 'rejudge' ? 'agent' : current.kind
  const query = { experimentName, kind, status: 'completed', before: startedAt } as const
  for await (const entry of store.list(query)) {
    const isOfSession = session !== null && entry.session === session
    if (entry.id !== current.id && entry.variant === variant && !isOfSession && entry.shard === undefined) return entry
  }
  return undefined
}
