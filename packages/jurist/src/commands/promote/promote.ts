import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ExperimentOptions } from '@jurist/experiment'
import type { Dataset } from '@jurist/experiment/dataset'
import { isDatasetPath, openFrom, pathOf } from '@jurist/experiment/internal'
import { counted, grouped, resultWithItems, trialText } from '@jurist/experiment/internal/results'
import { type ExitCode, flag, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { dollars, type ItemResult } from '@jurist/experiment/result'
import { fitted, right, safeLine, textTable } from '@jurist/kit/terminal'
import { findRun, resultsHolding } from '../../command-kit/find-run.js'
import { type Host, interruptible } from '../../command-kit/host.js'
import { resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { terminalOf } from '../../terminal/terminal.js'
import { experimentOf, judgesOfItems, juryFor, noJury } from '../rejudge.js'
import { type Cluster, clustersOf, type FailedTrial, failureOf, isSameFailure } from './failure.js'
import type { LiveFacts } from './live.js'
import { promotedItem } from './near-items.js'
import { nearEnough, type Promoted, promoteTrial, shownPlace } from './promote-trial.js'
import type { PromoteChoices, PromotePlace } from './promotion.js'
import { appendable } from './write-item.js'

/** The default of `--budget-minutes`. */
const budgetMinutes = 10

const stoppingText =
  'Stopping: the smallest item so far is written, or nothing before minimising (press again to exit immediately).'

export const promote: Subcommand = subcommand({
  arguments: [
    ['<run>', 'a run, as for jurist show'],
    ['[item]', 'a failed trial: an item id, or id#repetition'],
  ],
  flags: {
    into: flag(
      '--into <path>',
      'the directory or .jsonl file that gets the item (default: that of the experiment)',
      text,
    ),
    name: flag('--name <name>', 'the id of the item (default: the words of its failure)', text),
    minimise: toggle('--minimise', 'leave out files, changes and lines that the failure does not need'),
    live: toggle(
      '--live',
      'also leave out files that the agent read, messages, keys of the input and sentences, by running it: at most 200 times',
    ),
    jury: flag('--jury <name>', "a jury of the config (default: the experiment's)", text, { completes: 'jury' }),
    judge: flag('--judge <path>', 'the judge whose failure counts (default: the first that failed)', text),
    before: flag(
      '--before <dir>',
      'a directory or commit: what the agent began with, where the trial has no files',
      text,
    ),
    reference: flag('--reference <dir>', 'a directory or commit: the files as they are right', text),
    allFailures: toggle('--all-failures', 'group the failed trials of the run, and promote the smallest of each group'),
    budgetMinutes: flag('--budget-minutes <n>', 'the most minutes for each --minimise (default: 10)', whole(1), {
      default: budgetMinutes,
    }),
    dryRun: toggle('--dry-run', 'print what would be written, and write nothing'),
  },
  examples: ['promote latest cart-17#2 --minimise', 'promote latest --all-failures', 'promote 20261121 q7 --dry-run'],
  check({ allFailures, name, judge }, problem, [, item]) {
    if (allFailures && item !== undefined) problem('--all-failures', 'Name a trial or use --all-failures, not both.')
    if (!allFailures && item === undefined) problem('item', 'Name a trial, such as cart-17#2, or use --all-failures.')
    if (allFailures && name !== undefined) problem('--name', '--name names one item. Leave it out with --all-failures.')
    if (allFailures && judge !== undefined) problem('--judge', '--judge is for one trial.')
    if (name !== undefined && !/^[a-z0-9][\w.-]{0,99}$/i.test(name))
      problem('--name', 'A name has letters, digits, ".", "_" and "-".')
  },
  async run(host, [name, wanted], read) {
    const results = await resultsHolding(await resultsOf(host), name, host.cwd)
    const run = await resultWithItems(await findRun(results, name, host.cwd, ['agent', 'rejudge']))
    using interrupt = interruptible(host, () => stoppingText)
    const place = await placeOf(host, { results, run, signal: interrupt.signal }, read)
    const { name: itemName, live, judge, before, reference, budgetMinutes, dryRun } = read
    const minimise = read.minimise || live
    const choices = { name: itemName, minimise, live, judge, before, reference, budgetMinutes, dryRun }
    try {
      if (read.allFailures) return await promoteAll(host, place, choices)
      const promoted = await promoteTrial(place, namedTrial(run.items, wanted ?? ''), { ...choices, alike: [] })
      if (host.flags.json === true) host.json(promoted)
      else host.terminal.out(`${promotedText(promoted, place, host)}\n`)
      return interrupt.signal.aborted ? 130 : promoted.status === 'near-copy' ? 1 : 0
    } catch (thrown) {
      if (!interrupt.signal.aborted) throw thrown
      return 130
    }
  },
})

/** The parts of the project that promoting trials of a run needs. */
async function placeOf(
  host: Host,
  { results, run, signal }: Pick<PromotePlace, 'results' | 'run' | 'signal'>,
  read: { readonly into?: string | undefined; readonly jury?: string | undefined },
): Promise<PromotePlace> {
  const loaded = await host.config()
  const own = await experimentOf(loaded, run)
  // A session of an agent elsewhere has no experiment: it has the jury that is named, and the items of --into.
  const experiment = own ?? { name: run.experimentName, dataset: resolve(host.cwd, read.into ?? '') }
  const jury = juryFor(loaded, run, own, read.jury)
  const ofItems = { ...judgesOfItems(loaded, own), ...(jury === noJury ? { itemJury: 'replace' as const } : {}) }
  const into = datasetInto(host, own?.dataset, read.into)
  return {
    ...{ results, run, experiment, jury, juryName: read.jury, ofItems, signal, note: host.note, ...into },
    dataset: await datasetIn(into),
  }
}

/** Promotes a trial with `--minimise` and the defaults of the command, and returns what the command prints. */
export async function promoteMinimised(
  host: Host,
  { results, run: id, trial, signal }: Pick<PromotePlace, 'results' | 'signal'> & Record<'run' | 'trial', string>,
): Promise<string> {
  const run = await resultWithItems(await findRun(results, id, host.cwd, ['agent', 'rejudge']))
  const place = await placeOf(host, { results, run, signal }, {})
  const choices = { minimise: true, live: false, budgetMinutes, dryRun: false, alike: [] }
  const unset = { name: undefined, judge: undefined, before: undefined, reference: undefined }
  const promoted = await promoteTrial(place, namedTrial(run.items, trial), { ...choices, ...unset })
  const terminal = terminalOf({ stdout: silent, stderr: silent, env: {}, color: false })
  return promotedText(promoted, place, { ...host, terminal })
}

const silent = { write: () => true }

/** The dataset that gets the item: a directory, or a file of rows with the names of its columns. */
function datasetInto(
  host: Host,
  dataset: ExperimentOptions['dataset'] | undefined,
  given: string | undefined,
): Pick<PromotePlace, 'into' | 'columns' | 'isOwn'> {
  const own = isDatasetPath(dataset) ? dataset : undefined
  const into = given === undefined ? own && pathOf(own) : resolve(host.cwd, given)
  if (into !== undefined) {
    const isRows = statSync(into, { throwIfNoEntry: false })?.isFile() ?? appendable.test(into)
    const isOwn = own !== undefined && resolve(pathOf(own)) === resolve(into)
    const isDirectory = !isRows && (given !== undefined || existsSync(resolve(into, 'dataset.json')))
    if (isDirectory) return { into, isOwn, columns: null }
    const columns = isOwn && typeof own !== 'string' ? own.columns : undefined
    if (isRows && appendable.test(into)) return { into, isOwn, columns: columns ?? {} }
  }
  const what =
    into !== undefined
      ? `no row can be appended to ${basename(into)}`
      : dataset === undefined
        ? 'the run is of no experiment of the config'
        : 'the items of the experiment are in the config'
  throw usageInvalid(
    '--into',
    `The item needs a directory or a .jsonl file of rows, and ${what}. Name one: --into regressions`,
  )
}

async function datasetIn({ into, columns }: Pick<PromotePlace, 'into' | 'columns'>): Promise<Dataset | null> {
  if (columns !== null) return existsSync(into) ? openFrom({ path: into, columns }) : null
  return existsSync(resolve(into, 'dataset.json')) ? openFrom(into) : null
}

function namedTrial(items: readonly ItemResult[], wanted: string): ItemResult {
  const found = items.find((item) => trialText(item) === wanted)
  if (found !== undefined) return found
  const own = items.filter(({ itemId }) => itemId === wanted)
  const failed = own.find(({ passed }) => passed === false) ?? own[0]
  if (failed !== undefined) return failed
  const bad = items.filter(({ passed }) => passed === false)
  const known = (bad.length > 0 ? bad : items).slice(0, 5).map(trialText).join(', ')
  const hint = bad.length > 0 ? `Failed: ${known}.` : `No trial failed. There are: ${known}.`
  throw usageInvalid('item', `The run has no trial "${wanted}". ${hint}`)
}

type Choices = Omit<PromoteChoices, 'alike'>

/** A group of failures and its item. */
interface PromotedCluster {
  readonly cluster: string
  readonly trials: readonly string[]
  readonly smallest: string
  readonly item: string | null
  readonly status: Promoted['status'] | 'listed' | 'fails-again' | 'refused'
  readonly why: string
}

async function promoteAll(host: Host, place: PromotePlace, choices: Choices): Promise<ExitCode> {
  const failed = place.run.items.flatMap((item): readonly FailedTrial[] => {
    const failure = item.passed === false ? failureOf(item) : undefined
    return failure === undefined ? [] : [{ ...failure, item, size: sizeOf(item) }]
  })
  const clusters = clustersOf(failed)
  const done: PromotedCluster[] = []
  for (const [index, cluster] of clusters.entries()) {
    host.note(`${index + 1} of ${clusters.length}: ${safeLine(trialText(cluster.smallest.item))}`)
    // Each item is compared with those that were written before it.
    done.push(await promotedCluster({ ...place, dataset: await datasetIn(place) }, cluster, choices))
    if (place.signal.aborted) break
  }
  if (host.flags.json === true) host.json({ trials: failed.length, clusters: done })
  else host.terminal.out(`${clusterText(done, failed.length, host)}\n`)
  if (place.signal.aborted) return 130
  return done.some(({ status }) => status === 'refused') ? 1 : 0
}

function sizeOf({ detail, keptChanges }: ItemResult): FailedTrial['size'] {
  const invocation = detail?.kind === 'agent' ? detail.invocation : undefined
  const steps = (invocation?.phases ?? []).reduce((sum, { toolUses = [] }) => sum + toolUses.length, 0)
  return [keptChanges?.removed.length ?? 0, steps || (invocation?.turns?.length ?? 0)]
}

async function promotedCluster(place: PromotePlace, cluster: Cluster, choices: Choices): Promise<PromotedCluster> {
  const { smallest, trials } = cluster
  const names = trials.map(({ item }) => trialText(item))
  const facts = { cluster: smallest.text, trials: names, smallest: trialText(smallest.item) }
  const again = await promotedItem(place.dataset, (from) => isSameFailure(from, smallest))
  if (again !== undefined) return { ...facts, item: again, status: 'fails-again', why: '' }
  if (trials.length < 2) return { ...facts, item: null, status: 'listed', why: 'one trial' }
  try {
    const promoted = await promoteTrial(place, smallest.item, {
      ...choices,
      alike: names.filter((one) => one !== facts.smallest),
    })
    return { ...facts, item: promoted.item, status: promoted.status, why: promoted.established.why }
  } catch (thrown) {
    if (place.signal.aborted) throw thrown
    return { ...facts, item: null, status: 'refused', why: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

const words: Readonly<Record<PromotedCluster['status'], string>> = {
  written: 'new',
  'would-write': 'would be new',
  'near-copy': 'there already',
  known: 'there already',
  listed: 'one trial: name it to promote it',
  'fails-again': 'fails again',
  refused: 'refused',
}

function clusterText(clusters: readonly PromotedCluster[], failed: number, { terminal }: Host): string {
  const isNew = ({ status }: PromotedCluster) => status === 'written' || status === 'would-write'
  const [fresh, again] = [clusters.filter(isNew), clusters.filter(({ status }) => status === 'fails-again')]
  const rows = clusters.map(({ cluster, trials, smallest, item, status }) => [
    safeLine(cluster),
    grouped(trials.length),
    safeLine(smallest),
    safeLine(item === null ? words[status] : `${item} (${words[status]})`),
  ])
  const columns = [
    { title: 'FAILURE', shrinks: true },
    right('TRIALS'),
    { title: 'SMALLEST' },
    { title: 'ITEM', shrinks: true },
  ]
  const why = clusters.flatMap(({ status, smallest, why: said }) =>
    status === 'refused' ? [`  ${smallest}: ${safeLine(said)}`] : [],
  )
  return [
    `${counted(failed, 'failed trial')}: ${counted(clusters.length, 'group')} (${fresh.length} new, ${counted(again.length, 'known item')} failed again)`,
    ...(clusters.length === 0 ? [] : [textTable(columns, rows, { width: terminal.columns, indent: '  ' })]),
    ...why,
  ].join('\n')
}

const longestReason = 400

function promotedText(promoted: Promoted, into: PromotePlace, { terminal, cwd }: Host): string {
  const { trial, failure, item, path, files, minimised, live, removed, nearest, established, status, notes } = promoted
  const { style, unicode } = terminal
  const line = (name: string, said: string) => `  ${name.padEnd(11)} ${said}`
  const head = `${style.bold(safeLine(trial))}   ${fitted(safeLine(failure), longestReason, unicode ? '…' : '~')}`
  if (status === 'known') return `${head}\n  already there: ${item}. Nothing was changed.`
  const dropped = [
    ...(removed.secrets.length > 0 ? [`secrets in ${placesText(removed.secrets)}`] : []),
    ...(removed.machine.length > 0 ? [`names of this machine in ${placesText(removed.machine)}`] : []),
  ]
  const near =
    nearest === null || nearest.similarity < nearEnough
      ? ''
      : `${nearest.id} is like it (${nearest.similarity.toFixed(2)})`
  const place = path === null ? '' : shownPlace(into, path, cwd)
  return [
    head,
    ...(files === null
      ? []
      : [
          line(
            'kept',
            `task, before/ (${counted(files.before, 'file')}), ${counted(files.wrong, 'changed file')} as wrong/`,
          ),
        ]),
    ...(minimised === null
      ? []
      : [
          line(
            'minimised',
            `before/ ${minimised.from.files} to ${counted(minimised.to.files, 'file')}, ${grouped(minimised.from.lines)} to ` +
              `${counted(minimised.to.lines, 'line')}; ${counted(minimised.judgments, 'judgment')} in ${minimised.seconds} s`,
          ),
        ]),
    ...(live === null
      ? []
      : liveLines(live, minimised === null).map((said, index) => line(index === 0 ? 'live' : '', said))),
    ...dropped.map((said, index) => line(index === 0 ? 'removed' : '', said)),
    ...(removed.addresses.length > 0 ? [line('look at', `e-mail addresses in ${placesText(removed.addresses)}`)] : []),
    ...notes.map((note) => line('note', safeLine(note))),
    ...(near === '' || status === 'near-copy' ? [] : [line('near', safeLine(near))]),
    ...(status === 'near-copy'
      ? [`  already there: ${safeLine(item)} (${(nearest?.similarity ?? 1).toFixed(2)}). Nothing was written.`]
      : [
          line(
            'establish',
            safeLine(`${established.why}${established.status === 'disabled' ? ': the item is disabled' : ''}`),
          ),
          `  ${status === 'would-write' ? 'would write' : 'wrote'} ${into.columns === null ? `${safeLine(place)}/` : `${item} in ${safeLine(place)}`}`,
        ]),
  ].join('\n')
}

function liveLines({ original, left, runs, costUsd, from, to }: LiveFacts, hasFiles: boolean): readonly string[] {
  const parts = [
    ...(hasFiles ? [['file', 'files'] as const] : []),
    ['message', 'messages'],
    ['key of the input', 'keys'],
    ['sentence', 'sentences'],
  ] as const
  const smaller = parts.flatMap(([word, key]) =>
    from[key] === to[key]
      ? []
      : [`${from[key]} to ${counted(to[key], word, `${key}${key === 'keys' ? ' of the input' : ''}`)}`],
  )
  return [
    `failed alike in ${original.alike} of ${original.runs} runs as it was, in ${left.alike} of ${left.runs} as it is`,
    ...(smaller.length === 0 ? [] : [smaller.join(', ')]),
    `${counted(runs, 'run')} of the agent${costUsd === null ? '' : `, ${dollars(costUsd)}`}`,
  ]
}

const mostPlaces = 5

function placesText(places: readonly string[]): string {
  const shown = places.slice(0, mostPlaces).map(safeLine).join(', ')
  return places.length > mostPlaces ? `${shown} and ${places.length - mostPlaces} more` : shown
}
