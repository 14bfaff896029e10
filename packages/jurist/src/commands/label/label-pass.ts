import { userInfo } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import {
  type LabelPass,
  type LabelPlace,
  labelsInFile,
  labelsInStore,
  nextLabels,
  passProgress,
} from '@jurist/experiment/internal'
import { counted, itemsOf, pairText, trialsOf, trialText } from '@jurist/experiment/internal/results'
import {
  confidenceOfVerdict,
  type Label,
  labelAgreement,
  queuedTrials,
  stratifiedSample,
  uniformSample,
} from '@jurist/experiment/label'
import { type FlagValues, flag, oneOf, repeatable, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import type { RunResult, Trial } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { isBundle } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import { type Results, runDirectory } from '../../command-kit/results-store.js'
import { defined } from '../../command-kit/subcommand.js'
import { unknownAmong } from '../../config/problems.js'

/** The flags that select the person and the trials, in the terminal and for the page. */
export const passFlags = {
  by: flag('--by <name>', 'the name of the labeller (default: your user name)', text),
  sample: flag('--sample <n>', 'a uniform random sample of n trials (default: all)', whole(1)),
  next: flag('--next <n>', 'n more trials, of the verdicts in which labels help the true pass rate most', whole(1)),
  seed: flag('--seed <n>', 'the seed of --sample and of the order (default: 1)', whole(0)),
  stratify: flag(
    '--stratify <by>',
    'as many unsure trials as sure ones, by confidence; such labels certify nothing',
    oneOf(['confidence']),
  ),
  item: repeatable('--item <id>', 'only this item, also where you labelled it before', text, { completes: 'item' }),
  queue: flag('--queue <file>', 'only the trials that human-queue left to people', text),
  disagreements: toggle('--disagreements', 'only trials on which other people disagree'),
} as const

export type PassFlags = FlagValues<typeof passFlags>

/** Returns the place of a run's labels next to it in the store. */
export function labelsBeside(
  { cwd }: Host,
  results: Results,
  run: Pick<RunResult, 'id' | 'experimentName'>,
): LabelPlace {
  const { store, shown } = results
  const { id, experimentName } = run
  const directory = runDirectory(results, run)
  if (directory !== undefined) return labelFile(cwd, join(directory, 'labels.jsonl'))
  if (store.labels !== undefined) return labelsInStore(store.labels, { id, experimentName }, shown)
  throw usageInvalid(
    '--labels',
    `This store keeps no labels beside a run. Name a file: ${commandLine('label', id, '--labels', 'labels.jsonl')}`,
  )
}

export function labelFile(cwd: string, path: string): LabelPlace {
  return labelsInFile(path, relative(cwd, path))
}

/**
 * An archive is extracted only while a command runs, so labels next to its run would be lost. `name` is the run as
 * given by the user.
 */
export function checkKeepsLabels(name: string): void {
  if (isBundle(name))
    throw usageInvalid(
      'run',
      `${name} is an archive, which keeps no labels. Extract it: ${commandLine('store', 'bundle', '--extract', name)}`,
    )
}

/** Prepares the pass that the flags describe. `lines` contains every line of its labels. */
export async function labelPass(
  host: Host,
  run: RunResult,
  lines: readonly Label[],
  given: PassFlags,
): Promise<LabelPass> {
  const { by, stratify, item, queue, disagreements } = given
  if (stratify !== undefined && disagreements)
    throw usageInvalid('--stratify', 'Use --stratify or --disagreements, not both.')
  const common = { annotator: by ?? userInfo().username, again: item, from: lines.length }
  if (given.next !== undefined) return { ...common, ...nextPass(host, run, lines, given) }
  const isUniform = stratify === undefined && !disagreements && queue === undefined && item.length === 0
  const trials = await chosenTrials(run, lines, {
    ...given,
    queue: queue === undefined ? undefined : resolve(host.cwd, queue),
  })
  if (!isUniform)
    host.note('These labels do not stand for the whole run: they help to understand a judge, and certify nothing.')
  return { ...common, use: isUniform ? 'certify' : 'explore', trials }
}

/** Chooses trials by what their labels add to the estimate of the true pass rate. */
function nextPass(
  host: Host,
  run: RunResult,
  lines: readonly Label[],
  given: PassFlags,
): Pick<LabelPass, 'use' | 'trials'> {
  const { next = 0, sample, stratify, item, queue, disagreements } = given
  if (sample !== undefined || stratify !== undefined || item.length > 0 || queue !== undefined || disagreements)
    throw usageInvalid(
      '--next',
      '--next chooses the trials. Remove --sample, --stratify, --item, --queue and --disagreements.',
    )
  const { trials, isUniform } = nextLabels(run, lines, next, given.seed)
  if (isUniform) host.note('There are fewer than 20 labels of a uniform sample: these trials are drawn uniformly.')
  if (trials.length < next)
    host.note(`Only ${counted(trials.length, 'trial')} of ${run.id} ${trials.length === 1 ? 'has' : 'have'} no label.`)
  return { use: isUniform ? 'certify' : 'next', trials }
}

/**
 * The labels that the store keeps of a run, or of the run that it judged again; none where it keeps none. Labels that cannot be read
 * are a notice: the run itself can be.
 */
export async function labelsKept(
  host: Host,
  results: Results,
  { experimentName, id, lineage = null }: Pick<RunResult, 'experimentName' | 'id'> & Partial<RunResult>,
): Promise<readonly Label[]> {
  if (results.directory === undefined && results.store.labels === undefined) return []
  try {
    return await labelsBeside(host, results, { experimentName, id: lineage?.root ?? id }).read()
  } catch (thrown) {
    if (!JuristError.is(thrown, 'label-file-invalid')) throw thrown
    host.note(`notice: ${thrown.message}`)
    return []
  }
}

/** Returns the trials to label, in their order. Only trials whose agent ended count. */
async function chosenTrials(run: RunResult, lines: readonly Label[], given: PassFlags) {
  const { sample, seed, stratify, item, queue, disagreements } = given
  const waiting = queue === undefined ? undefined : await waitingIn(queue, run)
  const trials = completedTrials(run, item).filter((trial) => waiting?.has(trialText(trial)) !== false)
  const options = defined({ sample, seed })
  if (disagreements) {
    const wanted = new Set(labelAgreement(lines).disagreements.map(trialText))
    return uniformSample(
      trials.filter((trial) => wanted.has(trialText(trial))),
      options,
    )
  }
  if (stratify === undefined) return uniformSample(trials, options)
  const items = await itemsOf(run, trials)
  return stratifiedSample(items, ({ verdict }) => confidenceOfVerdict(verdict), options)
}

function completedTrials(run: RunResult, items: readonly string[]): readonly Trial[] {
  const completed = trialsOf(run).filter(({ agent }) => agent === 'completed')
  const known = completed.map(({ itemId }) => itemId)
  const unknown = items.find((id) => !known.includes(id))
  if (unknown !== undefined)
    throw usageInvalid('--item', `Run ${run.id} has no completed trial of "${unknown}".${unknownAmong(unknown, known)}`)
  return completed.filter(({ itemId }) => items.length === 0 || items.includes(itemId))
}

/** Returns the trials of the run in a queue. */
async function waitingIn(queue: string, { id }: RunResult): Promise<ReadonlySet<string>> {
  const waiting = (await queuedTrials(queue)).filter(({ runId }) => runId === id)
  if (waiting.length === 0) throw usageInvalid('--queue', `${queue} has no trial of run ${id}.`)
  return new Set(waiting.map(trialText))
}

/** The result of a pass. */
interface LabelledPass {
  readonly run: RunResult
  readonly place: Pick<LabelPlace, 'shown'>
  readonly pass: LabelPass
  /** Every line of its labels. */
  readonly lines: readonly Label[]
}

/** Prints the labels of the pass, the agreement between people, and the next steps. */
export function summarizePass(host: Host, { run, place, pass, lines }: LabelledPass): void {
  const { total, counts } = passProgress(lines, pass)
  const labelled = counts.pass + counts.fail + counts.skip
  const agreement = labelAgreement(lines)
  const { shown } = place
  const { annotator } = pass
  if (host.flags.json === true) {
    const remaining = total - labelled
    host.json({ run: run.id, file: shown, annotator, trials: total, labelled, remaining, counts, agreement })
    return
  }
  const { out } = host.terminal
  out(
    `${labelled} of ${counted(total, 'trial')} labelled by ${annotator}: ${counts.pass} pass, ${counts.fail} fail, ${counts.skip} skipped. Labels: ${shown}\n`,
  )
  for (const pair of agreement.pairs) out(`${pairText(pair)}\n`)
  if (agreement.disagreements.length > 0)
    out(
      `People disagree on ${counted(agreement.disagreements.length, 'trial')}. A third opinion: ${commandLine('label', run.id, '--disagreements', '--by', 'NAME')}\n`,
    )
  if (labelled < total) out('Continue with the same command.\n')
}
