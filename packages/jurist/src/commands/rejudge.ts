import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { abstain, type Judge, type Jury } from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'
import { matches } from '@jurist/experiment/dataset'
import { isJudgedAgain, itemMember, storedItem } from '@jurist/experiment/internal'
import { type AllowAbstain, resultWithItems, undecidedJudges } from '@jurist/experiment/internal/results'
import {
  type ExitCode,
  type FlagValues,
  flag,
  repeatable,
  text,
  toggle,
  usageInvalid,
  whole,
} from '@jurist/experiment/plugin'
import { rejudge as rejudgeRun, storedContext } from '@jurist/experiment/rejudge'
import { comparisonReport } from '@jurist/experiment/report'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { safeLine } from '@jurist/kit/terminal'
import { experimentsOf } from '../command-kit/configured-experiment.js'
import { findRun, isBundle, resultsHolding } from '../command-kit/find-run.js'
import { allowAbstainFlag } from '../command-kit/gate-flags.js'
import { answer, ended, type Host, interruptible } from '../command-kit/host.js'
import { type Asking, cacheHelp, judgeCache } from '../command-kit/judge-cache.js'
import { neverJudged } from '../command-kit/regression-gate.js'
import { type Results, resultsOf } from '../command-kit/results-store.js'
import {
  nothingSelected,
  readSelection,
  refuseUnknownNames,
  type Selection,
  sampled,
  storedSelectionFlags,
  workspacesFlag,
} from '../command-kit/selection.js'
import { defined, dollarAmount, type Subcommand, subcommand } from '../command-kit/subcommand.js'
import { describedJudges } from '../config/described-judges.js'
import type { LoadedConfig } from '../config/load-config.js'
import { juriesInstead, unknownAmong } from '../config/problems.js'
import { type Rejudged, rejudgeReport } from '../terminal/rejudge-report.js'
import { compared } from './compare.js'

const flags = {
  ...storedSelectionFlags,
  jury: flag('--jury <name>', "a jury of the config (default: the experiment's current one)", text, {
    completes: 'jury',
  }),
  tier: repeatable('--tier <name>', 'only this tier of the cascade', text),
  workspaces: workspacesFlag,
  judgeFailedRuns: toggle('--judge-failed-runs', 'also judge trials that timed out or failed'),
  concurrency: flag('-j, --concurrency <n>', 'concurrent trials (default: 4)', whole(1), {
    variable: 'JURIST_CONCURRENCY',
  }),
  budget: flag('--budget <usd>', 'stop when the judges have cost this much', dollarAmount, {
    variable: 'JURIST_BUDGET_USD',
  }),
  cache: toggle('--cache', cacheHelp),
  dryRun: toggle('--dry-run', 'print which trials would be judged'),
  allowAbstain: allowAbstainFlag(),
  compare: toggle('--compare', 'compare with the original'),
} as const

type RejudgeFlags = FlagValues<typeof flags>

export const rejudge: Subcommand = subcommand({
  arguments: [['<run>', 'a run, as for jurist show']],
  flags,
  examples: ['rejudge latest --jury strict --compare', 'rejudge add-readme@control --tier meaning --dry-run'],
  async run(host, [name], read) {
    const own = await resultsOf(host)
    const results = await resultsHolding(own, name, host.cwd)
    const source = await resultWithItems(await findRun(results, name, host.cwd, ['agent']))
    const loaded = await host.config()
    const experiment = await experimentOf(loaded, source)
    const jury = juryFor(loaded, source, experiment, read.jury)
    // Without a jury, only items with judges of their own are judged again.
    const hasNoJury = jury === noJury
    const ofItems = { ...judgesOfItems(loaded, experiment), ...(hasNoJury ? { itemJury: 'replace' as const } : {}) }
    refuseUnknownTiers(jury, source, read.tier)
    const selected = chosenItems(source, readSelection(read))
    const chosen = hasNoJury ? new Set([...selected].filter(({ judges }) => judges !== undefined)) : selected
    // A bundle is extracted only for this command, so the new run goes to the other results.
    const work: Work = {
      ...{ host, results, source, jury, ofItems, chosen, read },
      allowAbstain: read.allowAbstain ?? experiment?.allowAbstain,
      store: isBundle(name) ? own.store : results.store,
    }
    return read.dryRun ? dryRun(work) : perform(work, read.compare)
  },
})

interface Work {
  readonly host: Host
  /** The results that contain the run. */
  readonly results: Results
  /** The store for the new run. */
  readonly store: ResultStore
  readonly source: ExperimentResult
  readonly jury: Jury | Judge
  readonly ofItems: Parameters<typeof rejudgeRun>[2]
  /** The trials that flags select. */
  readonly chosen: ReadonlySet<ItemResult>
  readonly read: RejudgeFlags
  /** `undefined` selects the setting of the run. */
  readonly allowAbstain: AllowAbstain | undefined
}

/** Returns the experiment of a run from the current config; `undefined` if the config has none of this name. */
export async function experimentOf(loaded: LoadedConfig, { experimentName }: ExperimentResult) {
  if (!Object.keys(loaded.config.experiments ?? {}).includes(experimentName)) return undefined
  const [experiment] = await experimentsOf(loaded, [experimentName])
  return experiment
}

/** Returns a jury of the config by name, or the current jury of the run's experiment. */
export function juryFor(
  loaded: LoadedConfig,
  source: ExperimentResult,
  experiment: ExperimentOptions | undefined,
  name: string | undefined,
): Jury | Judge {
  const juries = loaded.config.juries ?? {}
  if (name !== undefined) {
    const found = Object.hasOwn(juries, name) ? juries[name] : undefined
    if (found !== undefined) return found
    throw usageInvalid('--jury', `No jury "${name}" in the config.${juriesInstead(name, juries)}`)
  }
  if (experiment === undefined)
    throw usageInvalid(
      '--jury',
      `The config has no experiment "${source.experimentName}" with a jury to judge by. Name one: --jury <name>.`,
    )
  if (experiment.jury !== undefined) return experiment.jury
  if (hasOwnJudges(source)) return noJury
  throw usageInvalid('--jury', `The experiment "${source.experimentName}" has no jury. Name one: --jury <name>.`)
}

/** Replaces the jury of runs that only the judges of their items judge. */
export const noJury: Judge = function noJury() {
  return abstain('the experiment has no jury')
}

function hasOwnJudges({ items }: ExperimentResult): boolean {
  return items.some(({ judges }) => judges !== undefined)
}

/** The settings for the judges of items, from the current experiment. */
export function judgesOfItems(
  { config, plugins }: LoadedConfig,
  experiment: ExperimentOptions | undefined,
): Parameters<typeof rejudgeRun>[2] {
  const { itemJury, trustItems, dataset, provision } = experiment ?? {}
  const datasetDirectory = typeof dataset === 'string' ? directoryOfDataset(dataset) : undefined
  const described = describedJudges({ ...config, plugins })
  return { describedJudges: described, ...defined({ itemJury, trustItems, datasetDirectory, provision }) }
}

/** Returns the directory of a dataset: that of its manifest, or of its file of rows. */
function directoryOfDataset(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : found.isDirectory() ? path : dirname(path)
}

/** Checks the tiers before anything is judged, also in a dry run. */
function refuseUnknownTiers(jury: Jury | Judge, source: ExperimentResult, wanted: readonly string[]): void {
  const tiers = (isJury(jury) ? jury.parts?.tiers : undefined)?.map(({ name }) => name) ?? []
  const known = tiers.length > 0 && hasOwnJudges(source) ? [itemMember, ...tiers] : tiers
  const unknown = wanted.find((name) => !known.includes(name))
  if (unknown === undefined) return
  if (known.length === 0) throw usageInvalid('--tier', `The jury is not a cascade: it has no tier "${unknown}".`)
  throw usageInvalid('--tier', `The cascade has no tier "${unknown}".${unknownAmong(unknown, known)}`)
}

function chosenItems({ items, id }: ExperimentResult, selection: Selection): ReadonlySet<ItemResult> {
  const known = {
    item: items.map(({ itemId }) => itemId),
    slug: items.map(({ itemSlug }) => itemSlug),
    bucket: items.map(({ bucket }) => bucket),
    taskType: items.map(({ taskType }) => taskType),
    tag: items.flatMap(({ tags }) => tags),
  }
  refuseUnknownNames(known, selection.given, `run ${id}`)
  const filter = { and: selection.filters }
  const fitting = items.filter((item) => matches(filter, storedItem(item)))
  if (fitting.length === 0) throw nothingSelected('trial', id, items.length)
  const ids = new Set(sampled([...new Set(fitting.map(({ itemId }) => itemId))], selection))
  return new Set(fitting.filter(({ itemId }) => ids.has(itemId)))
}

/** Prints the trials that would be judged, and the reasons why others would not. */
async function dryRun({ host, results, source, chosen, read }: Work): Promise<ExitCode> {
  const context = storedContext({
    workspaces: read.workspaces === 'none' ? 'none' : 'in-place',
    ...defined({ resultsDirectory: await results.filesOf(source, [...chosen]) }),
  })
  const skipped: Record<string, number> = {}
  let judged = 0
  for (const item of chosen) {
    const found = isJudgedAgain(item, read.judgeFailedRuns)
      ? await context(item, source, AbortSignal.timeout(60_000))
      : ({ skip: 'agent-not-completed' } as const)
    if ('skip' in found) skipped[found.skip] = (skipped[found.skip] ?? 0) + 1
    else judged += 1
  }
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} skipped: ${reason}`)
  const lines = [`${judged} of ${chosen.size} trials would be judged again`, ...reasons]
  answer(host, { run: source.id, trials: chosen.size, judged, skipped }, `${lines.join('\n  ')}\n`)
  return 0
}

/** Conditions of judging, in which a rejudged run may differ from the original. */
const judgedOtherwise = ['jury', 'judgeFailedRuns', 'judgeTimeoutMs'] as const

async function perform(work: Work, isCompared: boolean): Promise<ExitCode> {
  const { host, source } = work
  using answers = await judgeCache(host, work.read.cache)
  const { result, spentUsd, stopped } = await judgedAgain(work, answers.asking)
  const comparison = isCompared ? compared(source, result, { ignoreConditions: judgedOtherwise }) : undefined
  const judges = undecidedJudges(result, result.items, work.allowAbstain)
  const report: Rejudged = { source, result, judges, chosen: work.chosen.size, spentUsd }
  if (host.flags.json === true) host.json({ undecidedJudges: judges, result, comparison })
  else {
    host.terminal.out(`${rejudgeReport(report, host.terminal)}\n`)
    if (comparison !== undefined)
      host.terminal.out(`\n${comparisonReport(comparison, { format: 'console', width: host.terminal.columns })}\n`)
  }
  const [silent] = neverJudged(judges)
  const reason = stopped ?? (result.counts.decided === 0 ? 'nothing was decided' : silent)
  return ended(host, stopped === 'interrupted' ? 130 : reason === undefined ? 0 : 1, reason && safeLine(reason))
}

/** Judges the chosen trials until Ctrl-C or the budget stops it. */
async function judgedAgain({ host, results, store, source, jury, ofItems, chosen, read }: Work, asking: Asking) {
  using interrupt = interruptible(host, () => 'Stopping: judging is being cancelled (press again to exit immediately).')
  const { provision, datasetDirectory } = ofItems ?? {}
  const budget = new AbortController()
  let spentUsd: number | null = null
  const run = rejudgeRun(source, jury, {
    ...ofItems,
    ...asking,
    store,
    context: storedContext({
      workspaces: read.workspaces,
      ...defined({ resultsDirectory: await results.filesOf(source, [...chosen]), provision, datasetDirectory }),
    }),
    filter: (item) => chosen.has(item),
    judgeFailedRuns: read.judgeFailedRuns,
    signal: AbortSignal.any([interrupt.signal, budget.signal]),
    ...(read.tier.length === 0 ? {} : { tiers: read.tier }),
    ...(read.concurrency === undefined ? {} : { concurrency: read.concurrency }),
    onEvent(event) {
      if (event.type !== 'item-end' || event.result.judgeCostUsd === null) return
      spentUsd = (spentUsd ?? 0) + event.result.judgeCostUsd
      if (read.budget !== undefined && spentUsd >= read.budget)
        budget.abort(new Error(`the judges have cost ${spentUsd} US dollars`))
    },
  })
  const result = await run.result
  const stopped = interrupt.signal.aborted ? 'interrupted' : budget.signal.aborted ? 'the budget is spent' : undefined
  return { result, spentUsd, stopped }
}
