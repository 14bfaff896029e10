import { join } from 'node:path'
import { flatten } from '@jurist/core'
import { explainedRun, explainedTrials, scanKept } from '@jurist/experiment/internal'
import {
  comparedTrials,
  counted,
  isMeasurement,
  isOfSession,
  itemsOf,
  notWorseThanBest,
  pairwiseTests,
  type RunNetwork,
  readUndecidedJudges,
  resultWithItems,
  runNetwork,
  testsCannotFailText,
  trialPrompt,
  trialsOf,
  trialText,
  undecidedJudges,
  type VariantFigures,
  variantFigures,
} from '@jurist/experiment/internal/results'
import type { RunEstimate } from '@jurist/experiment/label'
import {
  type FlagValues,
  flag,
  oneOf,
  optional,
  repeatable,
  text,
  toggle,
  usageInvalid,
} from '@jurist/experiment/plugin'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { datasetDirectories, namedSources, ownDataset } from '../../command-kit/configured-experiment.js'
import { findRun, resultsHolding } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import { printedFormats } from '../../command-kit/report-formats.js'
import { type Results, resultsOf, scansKept } from '../../command-kit/results-store.js'
import { marginPoints, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { unknownAmong } from '../../config/problems.js'
import { diffReport } from '../../terminal/diff-report.js'
import { networkLines, networkReport } from '../../terminal/network-report.js'
import { certificateBlock, estimateBlock, runReport, undecidedJudgeLines } from '../../terminal/run-report.js'
import { type SessionFigures, sessionReport } from '../../terminal/session-report.js'
import { trialReport } from '../../terminal/trial-report.js'
import {
  type DiffBase,
  type DiffPlace,
  journalDocument,
  recordedEvents,
  shownJournal,
  workspaceDiff,
} from './trial-evidence.js'

const flags = {
  item: flag('--item <id>', 'the same as the argument', text, { completes: 'item' }),
  failures: toggle('--failures', 'every trial that did not pass, down to each check'),
  all: toggle('--all', 'every item of the run (default: above 20 items only those that did not pass)'),
  judges: toggle('--judges', 'the judges of the run: their results, cost and agreement, and the savings of a cascade'),
  network: toggle('--network', 'the hosts that commands asked for, allowed and refused, of a run with an allow-list'),
  judge: flag('--judge <path>', 'only judgments at this path, such as rules/build', text),
  verdict: toggle('--verdict', 'the verdict of the trial as JSON'),
  journal: toggle('--journal', 'the recorded messages, commands, edits and turns; with --json every event'),
  output: toggle('--output', "the agent's answer"),
  log: toggle('--log', 'all evidence of each judgment: output, answer, prompt (default: only the reasons of failures)'),
  prompt: toggle('--prompt', 'the trial as a prompt for a coding agent: task, verdict, evidence and changes'),
  diff: optional(
    '--diff [base]',
    'files that differ from before, or from the reference (default: before)',
    oneOf(['before', 'reference']),
  ),
  margin: flag('--margin <points>', 'of a session: variants not worse than the best by more than this', marginPoints),
  source: repeatable(
    '--source <dir>',
    'with --diff or --prompt: a further directory with initial states of items',
    text,
  ),
  format: flag(
    '--format <format>',
    'console, json, or markdown for a whole run (default: console)',
    oneOf(printedFormats),
    { default: 'console' },
  ),
} as const

type ShowFlags = FlagValues<typeof flags>

export const show: Subcommand = subcommand({
  arguments: [
    [
      '[run]',
      'a run id or its beginning, latest, latest~1 (the one before), an experiment, experiment@variant, a session (default: latest)',
    ],
    ['[item]', 'one trial: an item id, or id#repetition'],
  ],
  flags,
  examples: [
    'show latest --failures',
    'show latest rename-customer --log',
    'show add-readme rename-customer#2 --diff',
    'show latest rename-customer --prompt',
    'show 20261121-091500',
    'show 20261121-091500 --margin 5',
    'show latest --network',
  ],
  check({ item, failures, source, diff, format, ...given }, problem, [, argument]) {
    const wanted = argument ?? item
    const isTrial = wanted !== undefined || failures
    if (argument !== undefined && item !== undefined && item !== argument)
      problem('--item', `show prints one trial: "${argument}" or "${item}", not both.`)
    if (format === 'markdown' && isTrial)
      problem('--format', '--format markdown shows a whole run. For trials use console or json.')
    if (given.judges && isTrial) problem('--judges', '--judges shows a whole run. For one trial leave it out.')
    if (given.network && isTrial) problem('--network', '--network shows a whole run. For one trial use --journal.')
    const { judge, verdict, journal, output, log, prompt } = given
    if (diff === undefined && !prompt && source.length > 0)
      problem('--source', `--source needs --diff: ${commandLine('show', 'RUN', 'ITEM', '--diff', '--source', 'DIR')}`)
    const named = Object.entries({ judge, verdict, journal, output, log, prompt, diff }).find(([, value]) =>
      Boolean(value),
    )
    if (!isTrial && named !== undefined)
      problem(
        `--${named[0]}`,
        `--${named[0]} needs an item, or --failures: ${commandLine('show', 'RUN', 'ITEM', `--${named[0]}`, ...(typeof named[1] === 'string' ? [named[1]] : []))}`,
      )
  },
  async run(host, [name = 'latest', argument], given) {
    const base = given.prompt || given.diff === true ? 'before' : given.diff
    const own = await resultsOf(host)
    const isJson = host.flags.json === true || given.format === 'json'
    const trial = argument ?? given.item ?? (given.failures ? '--failures' : undefined)
    if (await showSession(host, own, name, { isJson, wanted: trial, margin: given.margin })) return 0
    if (given.margin !== undefined) throw usageInvalid('--margin', `--margin is for a session, and ${name} is not one.`)
    const results = await resultsHolding(own, name, host.cwd)
    const run = await findRun(results, name, host.cwd)
    const wanted = argument ?? given.item
    const trials =
      wanted === undefined ? (given.failures ? await failuresOf(run) : undefined) : await namedTrials(run, wanted)
    if (trials !== undefined && given.judge !== undefined) refuseUnknownJudge(trials, given.judge)
    const datasets =
      base === undefined ? [] : await startingDirectories(host, results === own ? run : undefined, given.source)
    const network = given.network ? await networkShown(run) : undefined
    if (network !== undefined && isJson) host.json(network)
    else if (network !== undefined) host.terminal.out(`${networkReport(run, network, host.terminal)}\n`)
    else if (trials !== undefined && given.verdict) host.json(oneOrAll(trials.map(({ verdict }) => verdict)))
    else if (trials !== undefined && isJson && given.journal)
      host.json(oneOrAll(await Promise.all(trials.map((trial) => journalDocument(results, run, trial)))))
    else if (trials !== undefined && isJson && base !== undefined)
      host.json(oneOrAll(await diffsOf({ results, run, base, datasets }, trials)))
    else if (isJson) host.json(trials === undefined ? await runDocument(host, results, run) : oneOrAll(trials))
    else await print(host, { results, run, base, datasets }, trials, given)
    return 0
  },
})

async function networkShown(run: RunResult): Promise<RunNetwork> {
  const network = await runNetwork(run)
  if (network !== undefined) return network
  throw usageInvalid('--network', `Run ${run.id} has no allow-list of hosts, so nothing was recorded.`)
}

/** Returns a whole run as JSON, with the judges that decided too little, and the true pass rate where it has labels. */
async function runDocument(host: Host, results: Results, run: RunResult) {
  const whole = await resultWithItems(run)
  const estimate = await estimateKept(host, results, run)
  return { undecidedJudges: undecidedJudges(whole), ...whole, ...(estimate === undefined ? {} : { estimate }) }
}

/** The true pass rate of a run by labels; `undefined` without labels. */
async function estimateKept(host: Host, results: Results, run: RunResult): Promise<RunEstimate | undefined> {
  const { labelsKept } = await import('../label/label-pass.js')
  const labels = isMeasurement(run.kind) && trialsOf(run).length > 0 ? await labelsKept(host, results, run) : []
  if (labels.length === 0) return undefined
  const { estimateRun } = await import('@jurist/experiment/label')
  return estimateRun(run, labels)
}

/**
 * Refuses an unknown path of a judgment. Trials without a verdict have no paths, and show that they were not judged.
 */
function refuseUnknownJudge(trials: readonly ItemResult[], judge: string): void {
  const known = trials.flatMap(({ verdict }) => (verdict === null ? [] : flatten(verdict).map(({ path }) => path)))
  const wanted = judge.replace(/^\//, '')
  if (known.length === 0 || known.some((path) => `${path}/`.startsWith(`/${wanted}/`))) return
  const paths = [...new Set(known.map((path) => path.slice(1)).filter((path) => path !== ''))]
  throw usageInvalid('--judge', `No judgment has the path "${wanted}".${unknownAmong(wanted, paths)}`)
}

const everything = { items: Number.POSITIVE_INFINITY, failures: Number.POSITIVE_INFINITY }

async function failuresOf(run: RunResult): Promise<readonly ItemResult[]> {
  const missed = trialsOf(run).filter(({ passed }) => passed !== true)
  return itemsOf(run, missed)
}

/** Returns the trials of an item, or the one that `item#repetition` names. */
export async function namedTrials(run: RunResult, wanted: string): Promise<readonly ItemResult[]> {
  const trials = trialsOf(run)
  const whole = trials.filter(({ itemId, itemSlug }) => itemId === wanted || itemSlug === wanted)
  if (whole.length > 0) return itemsOf(run, whole)
  const [, id = wanted, repetition] = /^(.*?) ?#(\d+)$/s.exec(wanted) ?? []
  const found = trials.filter((trial) => trial.itemId === id && String(trial.repetition) === repetition)
  if (found.length > 0) return itemsOf(run, found)
  const known = [...new Set(trials.map(({ itemId }) => itemId))]
  throw usageInvalid('item', `Run ${run.id} has no trial "${wanted}".${unknownAmong(wanted, known)}`)
}

function oneOrAll<Value>(values: readonly Value[]): Value | readonly Value[] {
  const [only] = values
  return values.length === 1 && only !== undefined ? only : values
}

/**
 * Returns the directories that may contain initial states of items: those of `--source`, of the config and of its
 * datasets, and for a run in the project's own results that of its dataset.
 */
export async function startingDirectories(host: Host, run: RunResult | undefined, sources: readonly string[]) {
  const named = await namedSources(host, sources)
  const loaded = await host.configIfAny()
  const configured = loaded === undefined ? [] : [loaded.directory, ...(await datasetDirectories(host))]
  return [...named, ...configured, ...(run === undefined ? [] : await ownDataset(host, run))]
}

/** A run with its place in the store, and the base for comparing its workspaces. */
interface Shown extends DiffPlace {
  readonly base: DiffBase | undefined
}

async function diffsOf({ base = 'before', ...place }: Shown, trials: readonly ItemResult[]) {
  return Promise.all(
    trials.map(async (trial) => {
      const { itemId, repetition } = trial
      return { itemId, repetition, base, ...(await workspaceDiff(place, trial, base)) }
    }),
  )
}

async function print(
  host: Host,
  shown: Shown,
  trials: readonly ItemResult[] | undefined,
  given: ShowFlags,
): Promise<void> {
  const { terminal } = host
  const { results, run } = shown
  if (run.status === 'running') terminal.out(`${await holderLine(results, run)}\n`)
  if (trials === undefined) {
    if (given.format === 'markdown') {
      const { markdownReport } = await import('@jurist/experiment/report')
      const scans = await scansKept(results, [run])
      terminal.raw(`${markdownReport([await resultWithItems(run)], { scans })}\n`)
      return
    }
    if (given.judges) {
      const { judgesReport } = await import('@jurist/experiment/report')
      const { color, columns: width } = terminal
      const whole = await resultWithItems(run)
      terminal.out(
        undecidedJudgeLines(undecidedJudges(whole), terminal)
          .map((line) => `${line}\n`)
          .join(''),
      )
      terminal.out(`${judgesReport(whole, { color, width })}\n`)
      return
    }
    const judges = await readUndecidedJudges(run)
    terminal.out(`${runReport(run, terminal, { judges, ...(given.all ? everything : { failures: 200 }) })}\n`)
    terminal.out(await whyBlock(results, run))
    const estimate = await estimateKept(host, results, run)
    const known = estimate === undefined ? [] : [...estimateBlock(estimate, terminal), '']
    const network = await networkLines(run, terminal)
    terminal.out([...known, ...(await certificateBlock(run)), ...network].map((line) => `${line}\n`).join(''))
    return
  }
  if (trials.length === 0) terminal.out(`Every trial of ${run.id} passed.\n`)
  if (given.prompt) {
    for (const trial of trials) terminal.raw(`${await promptOf(shown, trial)}\n`)
    return
  }
  const options = { judge: given.judge, output: given.output, log: given.log }
  const kept = await scanKept(results.store, run)
  const journals = (trial: ItemResult) => recordedEvents(results, run, trial)
  const explained = await explainedTrials(run, trials, journals)
  for (const trial of trials) {
    const findings = kept?.findings.filter((one) => trialText(one) === trialText(trial))
    const why = explained.get(trialText(trial)) ?? []
    terminal.out(`${trialReport(run, trial, terminal, { ...options, findings, why })}\n`)
    if (run.kind === 'mutate') terminal.out(await proofBlock(results, run, trial))
    if (given.journal) for await (const part of shownJournal(results, run, trial, terminal)) terminal.out(part)
    if (shown.base !== undefined) terminal.out(`${await diffText(host, shown, shown.base, trial)}\n`)
  }
}

const mostRemedies = 3

/** Formats why trials of a run did not pass, and what to do about it first. */
async function whyBlock(results: Results, run: RunResult): Promise<string> {
  const diagnosis = isMeasurement(run.kind)
    ? await explainedRun(run, (trial) => recordedEvents(results, run, trial))
    : null
  if (diagnosis === null) return ''
  const { distribution, unresolved, remediations } = diagnosis
  const counts = Object.entries(distribution).filter(([, { count }]) => count > 0)
  const parts = [
    ...counts.sort((one, other) => other[1].count - one[1].count).map(([name, { count }]) => `${name} ${count}`),
    ...(unresolved.length === 0 ? [] : [`not explained ${unresolved.length}`]),
  ]
  if (parts.length === 0) return ''
  const remedies = remediations
    .slice(0, mostRemedies)
    .map(({ summary, sources }) => `             ${safeLine(summary)} (${counted(sources.length, 'finding')})`)
  return `${[`  Why        ${parts.join(', ')}`, ...remedies, ''].join('\n')}\n`
}

/** Formats the proof for a mutant, if the run has one. */
async function proofBlock({ filesOf }: Results, run: RunResult, trial: ItemResult): Promise<string> {
  const directory = await filesOf(run, [trial])
  if (directory === undefined) return ''
  const { proofText, readProofs } = await import('@jurist/vet')
  const stored = await readProofs(join(directory, run.experimentName, run.id, 'proofs.jsonl'))
  const found = stored.findLast(({ itemId, repetition }) => itemId === trial.itemId && repetition === trial.repetition)
  if (found === undefined) return ''
  const test = found.proof.status === 'proven' ? `\n${found.proof.test.trimEnd()}` : ''
  return `${safeBlock(`${proofText(found.proof)}${test}`).replace(/^/gm, '  ')}\n\n`
}

async function promptOf(place: Shown, trial: ItemResult): Promise<string> {
  const diff = await workspaceDiff(place, trial, 'before')
  return trialPrompt(trial, { run: place.run, changes: diff.kind === 'files' ? diff.files : diff.reason })
}

async function diffText({ terminal }: Host, place: Shown, base: DiffBase, trial: ItemResult) {
  const diff = await workspaceDiff(place, trial, base)
  if (diff.kind === 'unknown') return `  ${safeLine(diff.reason)}\n`
  const title = base === 'before' ? 'Workspace since it began' : 'Workspace against the reference'
  return diffReport(title, diff.files, terminal)
}

/** Describes the process that is writing a run. */
async function holderLine({ directory }: Results, { experimentName, id }: RunResult): Promise<string> {
  if (directory === undefined) return 'still running'
  const { lastSignOf } = await import('@jurist/experiment/internal')
  const sign = await lastSignOf(join(directory, experimentName, id, 'lock')).catch(() => undefined)
  if (sign === undefined) return 'still running'
  const { holder, seenAt } = sign
  const seconds = Math.max(0, Math.round((Date.now() - seenAt) / 1000))
  return `still running (pid ${holder.pid} on ${safeLine(holder.host)}, last sign of life ${seconds} s ago)`
}

/** The runs of a session of one experiment, oldest first: the newest one of each variant. */
interface FoundSession {
  readonly session: string
  readonly experimentName: string
  readonly runs: readonly RunEntry[]
}

/**
 * Returns the sessions with this name, at most one per experiment. If an experiment has the same name, the name refers
 * to the experiment.
 */
async function findSessions({ store }: Results, name: string): Promise<readonly FoundSession[]> {
  const byExperiment = new Map<string, Map<string, RunEntry>>()
  for await (const entry of store.list({ includeExcluded: true, order: 'oldest' })) {
    if (entry.experimentName === name) return []
    if (entry.session !== name || entry.excluded !== null || !isOfSession(entry.kind)) continue
    const variants = byExperiment.get(entry.experimentName) ?? new Map<string, RunEntry>()
    byExperiment.set(entry.experimentName, variants.set(entry.variant ?? '', entry))
  }
  return [...byExperiment].map(([experimentName, variants]) => ({
    session: name,
    experimentName,
    runs: [...variants.values()],
  }))
}

/**
 * Prints the sessions with this name: their variants, and the tests of every pair of them.
 *
 * @param wanted a flag that shows trials, which do not belong to the session itself
 * @returns whether such a session exists
 */
async function showSession(
  host: Host,
  results: Results,
  name: string,
  {
    isJson,
    wanted,
    margin,
  }: { readonly isJson: boolean; readonly wanted: string | undefined; readonly margin: number | undefined },
): Promise<boolean> {
  const sessions = await findSessions(results, name)
  const [first] = sessions
  if (first === undefined) return false
  if (wanted !== undefined) {
    const run = first.runs[0]?.id ?? '<run>'
    throw usageInvalid(wanted, `"${name}" is a session. Name one of its runs: ${commandLine('show', run)}`)
  }
  const figures: SessionFigures[] = []
  for (const session of sessions) figures.push(await figuresOf(results, session, margin))
  if (isJson) host.json(figures.length === 1 ? figures[0] : figures)
  else for (const one of figures) host.terminal.out(`${sessionReport(one, host.terminal)}\n`)
  return true
}

/** The runs are read one by one, and only the compared data of each stays in memory. */
async function figuresOf(
  { store }: Results,
  { session, experimentName, runs }: FoundSession,
  margin: number | undefined,
): Promise<SessionFigures> {
  const variants: VariantFigures[] = []
  const trials: ReturnType<typeof comparedTrials>[] = []
  const undecidedJudges: SessionFigures['undecidedJudges'][number][] = []
  const testsCannotFail: SessionFigures['testsCannotFail'][number][] = []
  const stopped: SessionFigures['stopped'][number][] = []
  for (const { id } of runs) {
    const run = await store.overview(id)
    if (run === undefined) continue
    variants.push(variantFigures(run))
    if (run.decided !== undefined) stopped.push({ variant: run.variant ?? id, ...run.decided })
    trials.push(comparedTrials(run))
    const text = testsCannotFailText(run)
    if (text !== '') testsCannotFail.push({ run: run.variant ?? id, text })
    const judges = await readUndecidedJudges(run)
    if (judges.length > 0) undecidedJudges.push({ run: run.variant ?? id, judges })
  }
  // Variants that stopped when they were decided are tested by their plan: jurist compare shows it.
  const isStopped = stopped.length > 0
  if (isStopped && margin !== undefined)
    throw usageInvalid(
      '--margin',
      'Variants of this session stopped early. Give --margin to jurist run --until decided.',
    )
  const pairs = isStopped ? [] : pairwiseTests(trials)
  const notWorse = margin === undefined ? {} : { notWorse: { margin, places: notWorseThanBest(trials, margin) } }
  return { session, experimentName, testsCannotFail, undecidedJudges, variants, pairs, stopped, ...notWorse }
}
