import { userInfo } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { counted, itemsOf, trialsOf } from '@jurist/experiment/internal/results'
import {
  confidenceOfVerdict,
  currentLabels,
  type Label,
  labelAgreement,
  queuedTrials,
  readLabels,
  stratifiedSample,
  uniformSample,
} from '@jurist/experiment/label'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { keyReader } from '../label/key-reader.js'
import { type LabelSession, labelSession, nameOf, pairText } from '../label/label-session.js'
import { shownTrial } from '../label/shown-trial.js'
import { checkOutputFile } from './files.js'
import { findRun, resultsHolding } from './find-run.js'
import { type FlagValues, fileEndingIn, flag, oneOf, repeatable, text, toggle, whole } from './flags.js'
import { commandLine, type Host } from './host.js'
import { type Results, resultsOf } from './results-store.js'
import { startingDirectories } from './show.js'
import { type Subcommand, subcommand } from './subcommand.js'
import { shownJournal } from './trial-journal.js'
import { workspaceDiff } from './workspace-diff.js'

const flags = {
  by: flag('--by <name>', 'who labels (default: your user name)', text),
  sample: flag('--sample <n>', 'how many trials, drawn uniformly (default: all)', whole(1)),
  seed: flag('--seed <n>', 'decides which trials, and their order (default: 1)', whole(0), { default: 1 }),
  stratify: flag(
    '--stratify <by>',
    'as many unsure trials as sure ones, by confidence; such labels certify nothing',
    oneOf(['confidence']),
  ),
  item: repeatable('--item <id>', 'only this item, also where you labelled it before', text),
  queue: flag('--queue <file>', 'only the trials that human-queue left to people', text),
  disagreements: toggle('--disagreements', 'only trials on which other people disagree'),
  labels: flag(
    '--labels <file>',
    'where labels are kept (default: labels.jsonl beside the run)',
    fileEndingIn('.jsonl'),
  ),
} as const

type LabelFlags = FlagValues<typeof flags>

/** `jurist label`. */
export const label: Subcommand = subcommand({
  arguments: [['[run]', 'a run id or its beginning, latest, an experiment (default: latest)']],
  flags,
  note: `Shows task, output and changes of each trial, and never what a judge said. Keys: p pass, f fail, s skip, u undo,
n note, c categories, o whole output, d all changes, j journal, q quit. Every label is on the disk at its key; the same
command continues where you stopped. Keys may come from a pipe.`,
  examples: [
    'label latest --sample 60',
    'label answers --by ana --sample 200 --seed 7',
    'label latest --disagreements --by carl',
  ],
  check({ stratify, disagreements }, problem) {
    if (stratify !== undefined && disagreements) problem('--stratify', 'Use --stratify or --disagreements, not both.')
  },
  async run(host, [name = 'latest'], read) {
    const own = await resultsOf(host)
    const results = await resultsHolding(own, name, host.cwd)
    const run = await findRun(results, name, host.cwd, ['agent'])
    const file = await labelsFile(host, results, run, read)
    const lines = await readLabels(file)
    const annotator = read.by ?? userInfo().username
    const session = await sessionOf(host, { results, run, isOwn: results === own }, { file, lines, annotator, read })
    const after = await labelled(host, session)
    summarize(host, run, { ...session, lines: after })
    return 0
  },
})

/** The file of the labels: beside the run, unless another one is named. */
async function labelsFile(host: Host, { directory }: Results, run: RunResult, { labels }: LabelFlags): Promise<string> {
  if (labels !== undefined) {
    await checkOutputFile(host, '--labels', labels)
    return resolve(host.cwd, labels)
  }
  if (directory === undefined)
    throw usageInvalid('--labels', 'The store of the config has no directory. Name a file: --labels labels.jsonl')
  return join(directory, run.experimentName, run.id, 'labels.jsonl')
}

interface Stored {
  readonly results: Results
  readonly run: RunResult
  readonly isOwn: boolean
}

interface Sitting {
  readonly file: string
  readonly lines: readonly Label[]
  readonly annotator: string
  readonly read: LabelFlags
}

async function sessionOf(
  host: Host,
  { results, run, isOwn }: Stored,
  { file, lines, annotator, read }: Sitting,
): Promise<Omit<LabelSession, 'keys'>> {
  const datasets = await startingDirectories(host, isOwn ? run : undefined, [])
  const wholeTrial = async (trial: { readonly itemId: string; readonly repetition: number }) => {
    const [found] = await itemsOf(run, [trial])
    if (found === undefined) throw usageInvalid('run', `Run ${run.id} has no trial ${nameOf(trial)}.`)
    return found
  }
  return {
    // Stdout is for the one document.
    terminal: host.flags.json === true ? { ...host.terminal, out: host.terminal.err } : host.terminal,
    file,
    // What is labelled again counts as not labelled yet.
    lines: lines.filter((line) => line.annotator !== annotator || !read.item.includes(line.itemId)),
    annotator,
    use:
      read.stratify === undefined && !read.disagreements && read.queue === undefined && read.item.length === 0
        ? 'certify'
        : 'explore',
    trials: await chosenTrials(run, lines, {
      ...read,
      queue: read.queue === undefined ? undefined : resolve(host.cwd, read.queue),
    }),
    async show(trial) {
      const found = await wholeTrial(trial)
      return shownTrial(found, await changesOf({ results, run, datasets }, found))
    },
    journal: async (trial) => shownJournal(results, run, await wholeTrial(trial), host.terminal),
  }
}

async function changesOf(place: Parameters<typeof workspaceDiff>[0], trial: ItemResult) {
  if (trial.workspacePath === null && trial.beforePath === null) return null
  const diff = await workspaceDiff(place, trial, 'before')
  return diff.kind === 'files' ? diff.files : diff.reason
}

/** The trials of the run that a queue holds. */
async function waitingIn(queue: string, { id }: RunResult): Promise<ReadonlySet<string>> {
  const waiting = (await queuedTrials(queue)).filter(({ runId }) => runId === id)
  if (waiting.length === 0) throw usageInvalid('--queue', `${queue} has no trial of run ${id}.`)
  return new Set(waiting.map(nameOf))
}

/** The trials to label, in their order; only those of which the agent ended. */
async function chosenTrials(
  run: RunResult,
  lines: readonly Label[],
  { sample, seed, stratify, item, queue, disagreements }: LabelFlags,
) {
  const completed = trialsOf(run).filter(({ agent }) => agent === 'completed')
  const unknown = item.find((id) => !completed.some(({ itemId }) => itemId === id))
  if (unknown !== undefined) {
    const known = completed.map(({ itemId }) => itemId)
    throw usageInvalid('--item', `Run ${run.id} has no completed trial of "${unknown}".${unknownAmong(unknown, known)}`)
  }
  const waiting = queue === undefined ? undefined : await waitingIn(queue, run)
  const trials = completed.filter(
    (trial) => (item.length === 0 || item.includes(trial.itemId)) && waiting?.has(nameOf(trial)) !== false,
  )
  const options = { seed, ...(sample === undefined ? {} : { sample }) }
  if (disagreements) {
    const wanted = new Set(labelAgreement(lines).disagreements.map(nameOf))
    return uniformSample(
      trials.filter((trial) => wanted.has(nameOf(trial))),
      options,
    )
  }
  if (stratify === undefined) return uniformSample(trials, options)
  const items = await itemsOf(run, trials)
  return stratifiedSample(items, ({ verdict }) => confidenceOfVerdict(verdict), options)
}

async function labelled(host: Host, session: Omit<LabelSession, 'keys'>): Promise<readonly Label[]> {
  if (session.trials.length === 0) {
    host.note('There is no trial to label.')
    return session.lines
  }
  if (session.use === 'explore')
    host.note('These labels do not stand for the whole run: they help to understand a judge, and certify nothing.')
  using keys = keyReader(process.stdin, session.terminal.out)
  return await labelSession({ ...session, keys })
}

/** Prints what was labelled, how far people agree, and what to do next. */
function summarize(host: Host, run: RunResult, { trials, lines, annotator, file }: Omit<LabelSession, 'keys'>): void {
  const own = currentLabels(lines).filter((one) => one.annotator === annotator)
  const names = new Set(trials.map(nameOf))
  const done = own.filter((one) => names.has(nameOf(one)))
  const count = (word: Label['label']) => done.filter((one) => one.label === word).length
  const agreement = labelAgreement(lines)
  const shown = relative(host.cwd, file)
  if (host.flags.json === true) {
    const counts = { pass: count('pass'), fail: count('fail'), skip: count('skip') }
    const remaining = trials.length - done.length
    host.json({
      run: run.id,
      file: shown,
      annotator,
      trials: trials.length,
      labelled: done.length,
      remaining,
      counts,
      agreement,
    })
    return
  }
  const { out } = host.terminal
  out(
    `${done.length} of ${counted(trials.length, 'trial')} labelled by ${annotator}: ${count('pass')} pass, ${count('fail')} fail, ${count('skip')} skipped. Labels: ${shown}\n`,
  )
  for (const pair of agreement.pairs) out(`${pairText(pair)}\n`)
  if (agreement.disagreements.length > 0)
    out(
      `People disagree on ${counted(agreement.disagreements.length, 'trial')}. A third opinion: ${commandLine(host.flags, 'label', run.id, '--disagreements', '--by', 'NAME')}\n`,
    )
  if (done.length < trials.length) out('Continue with the same command.\n')
}
