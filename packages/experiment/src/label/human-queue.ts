import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { abstain, fail, type Judge, type JudgmentContext, JuristError, pass, withInfo } from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  isPlainObject,
  type OptionDescriptions,
  option,
} from '@jurist/core/internal'
import { isRunId, isSafeName } from '../store/names.js'
import { currentLabels, type Label } from './label.js'
import { readLabels } from './label-file.js'
import { labelOf, trialName } from './labelled-trials.js'

/** Where a queue finds labels. */
export interface HumanQueueOptions {
  /** The directory of the results, where `jurist label` keeps labels. Default `results`. */
  readonly results?: string
}

/** A trial that waits for a person: a line of the queue. */
export interface QueuedTrial {
  /** The run that called the agent. */
  readonly runId: string
  readonly experimentName: string
  readonly itemId: string
  readonly repetition: number
  readonly task: string
  /** When it was queued, as ISO 8601. */
  readonly at: string
}

const optionRules: OptionDescriptions<HumanQueueOptions> = {
  results: described(option.string, 'The directory of the results, where labels are kept.', 'results'),
}

/**
 * Leaves the trial to people, as the last tier of a cascade. It abstains and appends the trial to the file, once; `jurist label RUN
 * --queue FILE` shows these trials. When the run is judged again, a trial with a label is decided by it: pass or fail, as most people
 * say. Where as many say pass as fail, it abstains. Outside of a run there is nothing to queue, and it abstains.
 *
 * @param file the queue, in JSON lines; it is made where it does not exist
 * @throws `option-invalid`; while judging `label-file-invalid`
 *
 * @example
 * import { cascade, outputText } from '@jurist/core'
 * import { humanQueue } from '@jurist/experiment/label'
 *
 * cascade([
 *   { name: 'exact', jury: outputText({ equals: '4' }), policy: 'accept-on-all-pass' },
 *   { name: 'people', jury: humanQueue('queue.jsonl'), policy: 'final' },
 * ])
 */
export function humanQueue(file: string, options?: HumanQueueOptions): Judge {
  const { results = 'results' } = checkOptions<HumanQueueOptions>('humanQueue', options, optionRules)
  if (typeof file !== 'string' || file.trim() === '')
    throw new JuristError('option-invalid', 'humanQueue: give the path of the queue.', { option: 'file' })
  let queued: Promise<Set<string>> | undefined
  async function humanQueue(context: JudgmentContext) {
    const trial = trialIn(context)
    if (trial === undefined) return abstain('only the trials of a run can be left to people')
    const labels = (await labelsOf(results, trial)).filter(({ label }) => label !== 'skip')
    if (labels.length > 0) return labelled(labels)
    queued ??= queuedTrials(file).then((trials) => new Set(trials.map(keyOf)))
    const known = await queued
    if (!known.has(keyOf(trial))) {
      known.add(keyOf(trial))
      await mkdir(dirname(file), { recursive: true })
      await appendFile(file, `${JSON.stringify(trial)}\n`)
    }
    return abstain(`left to people: jurist label ${trial.runId} --queue ${file}`)
  }
  return withInfo(humanQueue, { name: 'humanQueue', kind: 'deterministic' })
}

describeJudge<HumanQueueOptions & { readonly file: string }>(humanQueue, {
  passes: 'most people who labelled the trial say pass; until then it abstains and queues the trial',
  options: { file: described(option.string, 'The queue, in JSON lines, relative to the config.'), ...optionRules },
  required: ['file'],
  make: ({ file, results = 'results', ...rest }, config) =>
    humanQueue(config.path(file), { ...rest, results: config.path(results) }),
})

/** The trial that a context is of; the run that called the agent keeps its labels. */
function trialIn({ goal, metadata }: JudgmentContext): QueuedTrial | undefined {
  const { runId, experimentName, itemId, repetition } = metadata
  // The run and the experiment become a path.
  if (!isRunId(runId) || !isSafeName(String(experimentName))) return undefined
  if (typeof itemId !== 'string' || typeof repetition !== 'number') return undefined
  const at = new Date().toISOString()
  return { runId: String(runId), experimentName: String(experimentName), itemId, repetition, task: goal, at }
}

async function labelsOf(results: string, trial: QueuedTrial): Promise<readonly Label[]> {
  const lines = await readLabels(join(results, trial.experimentName, trial.runId, 'labels.jsonl'))
  return currentLabels(lines).filter((label) => trialName(label) === trialName(trial))
}

function labelled(labels: readonly Label[]) {
  const reason = labels
    .map(({ annotator, label, note }) => `${annotator || 'label'}: ${label}${note === null ? '' : ` (${note})`}`)
    .join(', ')
  const extra = { metadata: { decidedBy: 'people', annotators: labels.map(({ annotator }) => annotator) } }
  const word = labelOf(labels)
  if (word === null) return abstain(`people differ: ${reason}`, extra)
  return word === 'pass' ? pass(reason, extra) : fail(reason, extra)
}

function keyOf({ runId, itemId, repetition }: QueuedTrial): string {
  return JSON.stringify([runId, itemId, repetition])
}

/**
 * The trials of a queue, oldest first; `[]` where the file does not exist. A line that was cut off by a crash is left out.
 *
 * @example
 * import { queuedTrials } from '@jurist/experiment/label'
 *
 * console.log((await queuedTrials('queue.jsonl')).length)
 */
export async function queuedTrials(file: string): Promise<readonly QueuedTrial[]> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return ''
    throw thrown
  })
  return text.split('\n').flatMap((line) => {
    try {
      const read: unknown = JSON.parse(line)
      return isPlainObject(read) && typeof read['itemId'] === 'string' ? [read as unknown as QueuedTrial] : []
    } catch {
      return []
    }
  })
}
