import { randomUUID } from 'node:crypto'
import { cp, rm } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { type JsonObject, meets } from '@jurist/core'
import { failureOf, totalCost } from '@jurist/core/internal'
import { type Dataset, type ExperimentOptions, planExperiment, runExperiment } from '@jurist/experiment'
import { type ChangePoint, changePoint, searchLength, type TriedCommit } from '@jurist/experiment/compare'
import { canonicalJson, withTrial } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { type FlagValues, flag, repeatable, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { dollars, duration, type ItemResult, type RunResult } from '@jurist/experiment/result'
import { localWorkspace } from '@jurist/workspace'
import { experimentsOf } from '../../command-kit/configured-experiment.js'
import { type Host, interruptible } from '../../command-kit/host.js'
import { isConfirmed, isPerson } from '../../command-kit/key-reader.js'
import { type Results, resultsOf } from '../../command-kit/results-store.js'
import { readSelection, selected, storedSelectionFlags } from '../../command-kit/selection.js'
import { dollarAmount, grouped, keyedRate, rate, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { type LoadedConfig, loadConfig } from '../../config/load-config.js'
import { type History, historyOf, type Trees, treesIn } from './commits.js'
import { bisectDocument, bisectText, equalEnds, posteriorText, type Search, type Stop, severalSteps } from './report.js'

const flags = {
  good: flag('--good <revision>', 'a commit at which the items passed', text),
  bad: flag('--bad <revision>', 'a later commit at which they fail (default: HEAD)', text, { default: 'HEAD' }),
  path: repeatable('--path <path>', 'only commits that touch this path are suspects', text),
  prepare: flag('--prepare <line>', 'makes the files of a commit ready, such as "npm ci"', text),
  withConfig: toggle('--with-config', 'use the config of each commit (default: the present one)'),
  variant: flag('--variant <name>', 'the variant to run', text),
  score: flag('--score <key=rate>', 'trials with at least this score pass (default: the verdict decides)', keyedRate),
  ...grouped('Which items', storedSelectionFlags),
  ...grouped('Limits', {
    posterior: flag('--posterior <rate>', 'the probability that is enough (default: 95%)', rate),
    maxTrials: flag('--max-trials <n>', 'the maximum number of trials (default: 500)', whole(1)),
    budget: flag('--budget <usd>', 'stop when the trials have cost this much', dollarAmount),
    concurrency: flag('-j, --concurrency <n>', 'concurrent trials (default: 4)', whole(1)),
  }),
  fresh: toggle('--fresh', 'use no trials of other runs'),
  yes: toggle('-y, --yes', 'begin without asking'),
} as const

type BisectFlags = FlagValues<typeof flags>

export const bisect: Subcommand = subcommand({
  arguments: [['[experiment]', 'a name in the config (default: the only one)']],
  flags,
  examples: [
    'bisect --good v1.4 --item fix-1 --prepare "npm ci"',
    'bisect repair --good v1.4 --bad HEAD~2 --path prompts --score meaning/clear=0.7 --yes',
  ],
  note: 'Each commit is tried in files of its own below the results; the working tree is not touched. The same command goes on with\nwhat an earlier one found.',
  async run(host, [name], read) {
    if (read.good === undefined) throw usageInvalid('--good', 'Name a commit at which the items passed: --good v1.4')
    using interrupt = interruptible(host)
    const search = await prepared(host, name, { ...read, good: read.good }, interrupt.signal)
    await using trees = search.trees
    if (!(await isWanted(host, search))) return 1
    const stop = await searched(search, trees)
    const report = { ...search, stop, steps: stop.kind === 'found' ? severalSteps(search, stop) : null }
    if (host.flags.json === true) host.json(bisectDocument(report))
    else host.terminal.out(bisectText(report, host.terminal))
    return stop.kind === 'found' || stop.kind === 'none' ? 0 : 1
  },
})

/** Everything that a search needs, and what it knows so far. */
interface Bisection extends Search {
  readonly host: Host
  readonly history: History
  readonly experiment: ExperimentOptions
  readonly results: Results
  readonly loaded: LoadedConfig
  readonly trees: Trees
  /** The experiment as each commit has it, by the directory of its files. */
  readonly experiments: Map<string, Promise<ExperimentOptions>>
  readonly read: BisectFlags & { readonly good: string }
  readonly signal: AbortSignal
  /** Whether a person wants it to continue although both ends pass about as often. */
  goesOn: boolean
}

async function prepared(
  host: Host,
  name: string | undefined,
  read: Bisection['read'],
  signal: AbortSignal,
): Promise<Bisection> {
  const loaded = await host.config()
  const history = await historyOf(loaded.directory, { good: read.good, bad: read.bad, paths: read.path }, signal)
  const results = await resultsOf(host)
  const [configured] = await experimentsOf(loaded, name === undefined ? [] : [name])
  if (configured === undefined) throw usageInvalid('experiment', 'The config has no experiment.')
  const variants = Object.keys(configured.variants ?? {})
  if (
    variants.length > 0 !== (read.variant !== undefined) ||
    (read.variant !== undefined && !variants.includes(read.variant))
  )
    throw usageInvalid(
      '--variant',
      variants.length === 0
        ? `${configured.name} has no variants. Remove --variant.`
        : `Name a variant of ${configured.name}: ${variants.join(', ')}.`,
    )
  const given = { ...configured, repetitions: 1, store: results.store }
  const experiment = await selected(given, readSelection(read), host.cwd)
  const plan = await planExperiment<string>(experiment, read.variant === undefined ? {} : { variant: read.variant })
  // Below the project, so that the config finds the installed packages.
  const place = join(results.directory ?? loaded.directory, '.bisect')
  const prepare = async (directory: string) => {
    if (read.prepare === undefined) return
    const { exitCode, stderr, stdout } = await localWorkspace(directory).run(['sh', '-c', read.prepare], { signal })
    if (exitCode !== 0)
      throw new Error(`"${read.prepare}" failed: ${(stderr || stdout).trim().split('\n').at(-1) ?? ''}`)
  }
  const search: Bisection = {
    ...{ host, history, experiment, results, loaded, read, signal },
    experiments: new Map(),
    trees: treesIn(place, history.repository, prepare, signal),
    session: `bisect-${read.good}-${read.bad}`.replaceAll(/[^\w.-]+/g, '-').slice(0, 60),
    items: [...new Set(plan.items.map(({ itemId }) => itemId))],
    posterior: read.posterior ?? 0.95,
    known: history.commits.map((commit) => ({ ...commit, reason: null, items: {}, runs: {}, trials: 0, inVain: 0 })),
    spent: { reused: 0, trials: 0, costUsd: 0, durationMs: 0 },
    goesOn: false,
  }
  await readStored(search, plan.conditions)
  return search
}

/** Takes the trials that were stored before: those of earlier searches, and of other runs of these commits under equal conditions. */
async function readStored(search: Bisection, conditions: JsonObject): Promise<void> {
  const { store } = search.results
  const hashes = new Map<string, string>()
  for await (const { id, hash } of (search.experiment.dataset as Dataset).items(search.experiment.filter))
    hashes.set(id, hash)
  for await (const entry of store.list({ experimentName: search.experiment.name, kind: 'agent' })) {
    if (entry.variant !== (search.read.variant ?? null) || (search.read.fresh && entry.session !== search.session))
      continue
    const run = await store.load(entry.id)
    if (run === undefined) continue
    const named = (run.metadata['bisect'] as JsonObject | undefined)?.['commit']
    const hash = named ?? (run.code.dirty ? null : run.code.gitCommit)
    const commit = search.known.find((one) => one.hash === hash)
    if (commit === undefined || !isMeasuredAlike(run, named !== undefined, conditions)) continue
    for (const item of run.items)
      if (hashes.get(item.itemId) === item.itemHash && take(search, commit, item, run.id)) search.spent.reused += 1
  }
}

/** Whether a run was measured as the search measures. The agent of the runs of a search is that of their commit. */
function isMeasuredAlike(run: RunResult, isOfSearch: boolean, present: JsonObject): boolean {
  const compared = ({ jury = null, dataset: _, agent: __, ...others }: JsonObject) =>
    canonicalJson(isOfSearch ? { jury } : { jury, ...others })
  return compared(run.conditions) === compared(present)
}

/** Counts a trial of a selected item; one that decided nothing does not count. */
function take({ items, read }: Bisection, commit: Search['known'][number], trial: ItemResult, run: string): boolean {
  const { itemId, agent, scores } = trial
  const [key, least] = read.score ?? []
  const score = key === undefined ? undefined : scores[key]
  // An agent that failed has no score.
  const isVerdict = least === undefined || (score === undefined && agent !== 'completed')
  const passed = isVerdict ? trial.passed : score === undefined ? null : meets(score, least)
  if (passed === null || !items.includes(itemId)) return false
  commit.items = { ...commit.items, [itemId]: withTrial(commit.items[itemId], passed) }
  const known = commit.runs[itemId]
  // Ids grow with time.
  if (known === undefined || known < run) commit.runs = { ...commit.runs, [itemId]: run }
  commit.trials += 1
  return true
}

/** In a history of more suspects, every 16th commit is tried first. */
const [mostSuspects, stride] = [2_000, 16]

/** The trials from which the posterior is computed. Items that were not tried yet count, too: they may fall. */
function triedCommits({
  known,
  items,
  posterior,
}: Pick<Search, 'known' | 'items' | 'posterior'>): readonly TriedCommit[] {
  const untried = Object.fromEntries(items.map((item) => [item, { passed: 0, decided: 0 }]))
  const all = known.map((commit) => ({
    runs: commit.reason === null,
    // Follows from the trials alone, so that a search that was killed goes on as it would have.
    prepared: commit.trials > 0,
    items: { ...untried, ...commit.items },
  }))
  if (all.length - 1 <= mostSuspects) return all
  const coarse = all.map((commit, place) =>
    place % stride === 0 || place === all.length - 1 ? commit : { ...commit, runs: false },
  )
  return changePoint({ commits: coarse }).groups.some((group) => group.posterior >= posterior) ? all : coarse
}

/** The number of trials of each item at each end, to begin with. */
const atEnds = 5

/** Items that were tried at both ends, and pass as often at the bad one, are left to themselves. */
function chosenItems({ known, items }: Search): readonly string[] {
  const rateAt = (commit: Search['known'][number] | undefined, item: string) => {
    const { passed = 0, decided = 0 } = commit?.items[item] ?? {}
    return decided === 0 ? null : passed / decided
  }
  return items.filter((item) => {
    const [good, bad] = [rateAt(known[0], item), rateAt(known.at(-1), item)]
    return good === null || bad === null || good > bad
  })
}

async function isWanted(host: Host, search: Bisection): Promise<boolean> {
  const { known, history, spent, items, read } = search
  const chosen = chosenItems(search)
  const untouched = history.untouched === 0 ? '' : ` ${history.untouched} touch none of the paths and are none.`
  host.note(`${known.length} commits, ${known.length - 1} of them suspects.${untouched}`)
  if (spent.reused > 0) host.note(`${counted(spent.reused, 'stored trial')} of these commits fit and are used.`)
  const left = items.length - chosen.length
  if (chosen.length === 0) host.note('No item passes less often at the bad end, so far.')
  else
    host.note(
      `Items: ${chosen.slice(0, 10).join(', ')}${chosen.length > 10 ? `, and ${chosen.length - 10} more` : ''}${left === 0 ? '' : `; ${left} more, which passed as often at both ends, ${left === 1 ? 'is' : 'are'} left out`}.`,
    )
  if (history.isDirty) host.note('Changes that are not committed are not tried, apart from those of the config.')
  const first = chosen.reduce((sum, item) => sum + lacking(known[0], item) + lacking(known.at(-1), item), 0)
  if (first > 0)
    host.note(
      `First ${counted(first, 'trial')} at both ends${await price(search, first)}; then it is known about how many more are needed.`,
    )
  else await noteLength(search)
  if (read.yes) return true
  if (isPerson(host)) return isConfirmed(host, 'Go on?')
  throw usageInvalid('--yes', 'There is no terminal to ask in. Add --yes.')
}

function lacking(commit: Search['known'][number] | undefined, item: string, wanted: number = atEnds): number {
  return Math.max(0, wanted - (commit?.items[item]?.decided ?? 0))
}

/** The maximum number of untried commits in a simulated search. Of a longer history, every nth commit is simulated. */
const mostSimulated = 128

/** Says how many trials the search takes, from simulated ones. */
async function noteLength(search: Bisection): Promise<void> {
  const { posterior, read } = search
  const chosen = chosenItems(search).slice(0, 3)
  const { maxTrials = 500 } = read
  const step = Math.ceil(search.known.length / mostSimulated)
  const last = search.known.length - 1
  const known = search.known.filter(({ trials }, place) => place % step === 0 || place === last || trials > 0)
  const { median, nineInTen } = searchLength(
    { commits: triedCommits({ ...search, known, items: chosen }) },
    // As many as take about a second.
    {
      posterior,
      maxTrials,
      simulations: Math.max(10, Math.min(200, Math.round(8_000 / (known.length * Math.max(1, chosen.length))))),
    },
  )
  const upTo = (trials: number) => (trials >= maxTrials ? `more than ${maxTrials}` : `${trials}`)
  search.host.note(
    `Expected: about ${upTo(median)} more trials (9 in 10: at most ${upTo(nineInTen)})${await price(search, median)}.`,
  )
}

async function price(search: Bisection, trials: number): Promise<string> {
  const usual = await usualTrial(search)
  return usual === null ? '' : `, about ${dollars(usual.costUsd * trials)} and ${duration(usual.durationMs * trials)}`
}

/** The mean cost and time of a trial in the newest run of the experiment; `null` without one. */
async function usualTrial({ results, experiment }: Bisection) {
  for await (const entry of results.store.list({ experimentName: experiment.name, kind: 'agent', limit: 1 })) {
    const cost = totalCost([entry.costUsd, entry.judgeCostUsd])
    if (cost !== undefined && entry.counts.decided > 0)
      return { costUsd: cost / entry.counts.decided, durationMs: entry.durationMs / entry.counts.decided }
  }
  return null
}

async function searched(search: Bisection, trees: Trees): Promise<Stop> {
  const { host, known, read } = search
  const [good, bad] = [known[0], known.at(-1)]
  for (const commit of [good, bad]) await complete(search, trees, commit, chosenItems(search), atEnds)
  if (search.spent.trials > 0) await noteLength(search)
  const best = Math.max(...search.items.map((item) => rateOf(good?.items[item])))
  if (good?.reason === null && best <= 0.2)
    throw usageInvalid(
      '--good',
      `Nothing to lose: the best of the items passes ${Math.round(best * 100)} % of its trials at ${read.good}. Name a better commit, or other items.`,
    )
  for (;;) {
    const now = changePoint({ commits: triedCommits(search) })
    host.note(`${counted(search.spent.trials, 'trial')}: ${posteriorText(search, now, host.terminal.unicode)}`)
    const stop = stopOf(search, now)
    if (stop?.kind === 'found') return completed(search, trees, stop)
    const isAsked = stop?.kind === 'not-decided' && stop.why === equalEnds && isPerson(host) && !read.yes
    if (isAsked) search.goesOn = await isConfirmed(host, `The search is not decided: ${equalEnds}. Go on?`)
    if (stop !== null && !(isAsked && search.goesOn)) return stop
    const probes = nextProbes(search)
    if (probes.length === 0) return { kind: 'not-decided', why: 'no commit can be tried', now }
    await Promise.all(probes.map(({ commit, item, trials }) => tryAt(search, trees, known[commit], [item], trials)))
  }
}

function rateOf(counts: TriedCommit['items'][string] | undefined): number {
  return counts === undefined || counts.decided === 0 ? 0 : counts.passed / counts.decided
}

/** After as many trials at each end a loss would have shown; it is said where none is at least as probable. */
const enoughAtEnds = 40

function stopOf({ posterior, known, read, spent, signal, goesOn }: Bisection, now: ChangePoint): Stop | null {
  const group = now.groups.find((one) => one.posterior >= posterior)
  if (group !== undefined) return { kind: 'found', group, now }
  if (now.none >= posterior) return { kind: 'none', now }
  const ends = [known[0], known.at(-1)].map((commit) => commit?.trials ?? 0)
  const broken = [known[0], known.at(-1)].find((commit) => commit?.reason != null)
  if (broken != null)
    return {
      kind: 'not-decided',
      why: `${broken.hash.slice(0, 7)} is an end and cannot be tried: ${broken.reason}`,
      now,
    }
  if (signal.aborted) return { kind: 'not-decided', why: 'interrupted', now }
  if (spent.trials >= (read.maxTrials ?? 500)) return { kind: 'not-decided', why: `after ${spent.trials} trials`, now }
  if (read.budget !== undefined && spent.costUsd >= read.budget)
    return { kind: 'not-decided', why: `the budget of ${dollars(read.budget)} is spent`, now }
  if (!goesOn && now.none >= 0.5 && Math.min(...ends) >= enoughAtEnds)
    return { kind: 'not-decided', why: equalEnds, now }
  return null
}

/** Several probes, each as if those before it had ended as expected. */
function nextProbes(
  search: Bisection,
): readonly { readonly commit: number; readonly item: string; readonly trials: number }[] {
  const assumed = triedCommits(search).map((commit) => ({ ...commit, items: { ...commit.items } }))
  const most = Math.min(search.read.concurrency ?? 4, (search.read.maxTrials ?? 500) - search.spent.trials)
  const probes = new Map<string, { readonly commit: number; readonly item: string; trials: number }>()
  for (let drawn = 0; drawn < most; drawn += 1) {
    const { next } = changePoint({ commits: assumed })
    const commit = next === null ? undefined : assumed[next.commit]
    if (next === null || commit === undefined) break
    commit.items[next.item] = withTrial(commit.items[next.item], next.passes >= 0.5)
    const key = JSON.stringify([next.commit, next.item])
    const probe = probes.get(key) ?? { commit: next.commit, item: next.item, trials: 0 }
    probe.trials += 1
    probes.set(key, probe)
  }
  return [...probes.values()]
}

/** After as many trials in a row that decide nothing, a commit counts as one that cannot be tried. */
const mostInVain = 5

/** Tries a commit until each of the items has as many decided trials. */
async function complete(
  search: Bisection,
  trees: Trees,
  commit: Search['known'][number] | undefined,
  items: readonly string[],
  wanted: number,
): Promise<void> {
  const missing = new Map(items.map((item) => [item, lacking(commit, item, wanted)]))
  for (const each of new Set(missing.values()))
    await tryAt(
      search,
      trees,
      commit,
      items.filter((item) => missing.get(item) === each),
      each,
    )
}

/** Runs this number of trials of each item at a commit. A commit at which nothing can be decided is not tried again. */
async function tryAt(
  search: Bisection,
  trees: Trees,
  commit: Search['known'][number] | undefined,
  items: readonly string[],
  each: number,
): Promise<void> {
  const { experiment, read, spent, signal } = search
  const left = Math.max(0, (read.maxTrials ?? 500) - spent.trials)
  const id = items.slice(0, left)
  const repetitions = Math.min(each, Math.floor(left / id.length) || 0)
  const isSpent = read.budget !== undefined && spent.costUsd >= read.budget
  if (commit === undefined || repetitions === 0 || isSpent || commit.reason !== null || signal.aborted) return
  try {
    const directory = await trees.open(commit)
    const loading = search.experiments.get(directory) ?? experimentAt(search, directory)
    search.experiments.set(directory, loading)
    const own = await loading
    // What the files of the commit say of the agent varies, such as its prompts; what is asked and how it is judged does not.
    const { dataset, jury, describedJudges, store } = experiment
    const options = {
      ...{ ...own, dataset, jury, describedJudges, store },
      filter: { id, status: 'any' as const },
      ...{ repetitions, concurrency: Math.min(repetitions * id.length, read.concurrency ?? 4) },
      metadata: { ...experiment.metadata, bisect: { commit: commit.hash, good: read.good, bad: read.bad } },
    }
    const variant = read.variant === undefined ? {} : { variant: read.variant }
    const result = await runExperiment<string>(options, { ...variant, session: search.session, signal }).result
    spent.costUsd += totalCost([result.costUsd, result.judgeCostUsd]) ?? 0
    spent.durationMs += result.durationMs
    const decided = result.items.filter((one) => take(search, commit, one, result.id))
    spent.trials += result.items.length
    commit.inVain = decided.length > 0 ? 0 : commit.inVain + result.items.length
    const isUnready = result.items.length > 0 && result.items.every(({ agent }) => agent === 'setup-error')
    // A judge or a server that broke once says nothing of the commit.
    if (!signal.aborted && (isUnready || commit.inVain >= mostInVain))
      commit.reason =
        result.items.find(({ failure }) => failure !== null)?.failure?.message ?? noneDecided(read.score, result.items)
  } catch (thrown) {
    if (!signal.aborted) commit.reason = failureOf(thrown).message
  }
  if (commit.reason !== null)
    search.host.note(`${commit.hash.slice(0, 7)} cannot be tried: ${commit.reason.split('\n')[0]}`)
}

function noneDecided(score: BisectFlags['score'], items: readonly ItemResult[]): string {
  if (score === undefined) return 'no trial was decided'
  const known = [...new Set(items.flatMap(({ scores }) => Object.keys(scores)))]
  return `no trial has the score ${score[0]}${known.length === 0 ? '' : `, but ${known.join(', ')}`}`
}

/** The experiment as the config defines it among the files of a commit: the present config, unless each commit has its own. */
async function experimentAt(
  { loaded, read, experiment, history }: Bisection,
  directory: string,
): Promise<ExperimentOptions> {
  const root = history.repository.tree ?? dirname(loaded.file)
  const there = resolve(directory, relative(root, loaded.directory))
  if (read.withConfig) return theOne(await loadConfig(join(there, basename(loaded.file))), experiment.name)
  // Its name is new, since a file of the commit may be in its place.
  const copy = join(there, `jurist.bisect-${randomUUID().slice(0, 8)}${extname(loaded.file)}`)
  await cp(loaded.file, copy)
  try {
    return await theOne(await loadConfig(copy), experiment.name)
  } finally {
    await rm(copy, { force: true })
  }
}

async function theOne(loaded: LoadedConfig, name: string): Promise<ExperimentOptions> {
  const [found] = await experimentsOf(loaded, [name])
  if (found === undefined) throw usageInvalid('experiment', `The config has no experiment "${name}".`)
  return found
}

/** With few trials beside the commit, a second step would stay unseen: both sides of it and both ends get this many. */
const toCompare = 20

async function completed(search: Bisection, trees: Trees, stop: Extract<Stop, { kind: 'found' }>): Promise<Stop> {
  const fell = search.items.filter((item) => (stop.now.fell[item] ?? 0) >= 0.5)
  const { known } = search
  const places = [0, stop.group.first - 1, stop.group.last, known.length - 1]
  for (const place of new Set(places))
    await complete(search, trees, known[place], fell, Math.ceil(toCompare / fell.length))
  const now = changePoint({ commits: triedCommits(search) })
  return stopOf(search, now) ?? { kind: 'not-decided', why: 'further trials made it less clear', now }
}
