import { appendFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { abstain, fail, type Judge, type JudgmentContext, JuristError, pass, withInfo } from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  failureOf,
  hasFields,
  type OptionDescriptions,
  option,
  optionInvalid,
} from '@jurist/core/internal'
import { commandLine } from '@jurist/kit/command-line'
import { parseLines } from '@jurist/kit/json'
import { regularFileText } from '@jurist/kit/regular-file'
import { trialText } from '../result/trial-figures.js'
import { isRunId, isSafeName } from '../store/names.js'
import { offeredLabels } from '../store/offered-labels.js'
import { currentLabels, type Label } from './label.js'
import { labelsFromLines, readLabels } from './label-file.js'
import { labelOf } from './labelled-trials.js'

/** Where a queue finds labels. */
export interface HumanQueueOptions {
  /**
   * The directory of the results, where `jurist label` keeps labels. Default `results`. Labels in the store that the run is judged
   * again from, such as a database, count as well.
   */
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
 * Leaves the trial to people, as the last tier of a cascade. It abstains and appends the trial to the file, once; `jurist
 * label RUN --queue FILE` shows these trials. When the run is judged again, a trial with a label is decided by it: pass
 * or fail, by majority of its labels. On a tie it abstains. Outside of a run there is nothing to queue, and it abstains.
 *
 * @param file the queue, in JSON lines; it is made where it does not exist
 * @throws `option-invalid`; while judging `label-file-invalid`, also where the queue would be larger than 64 MB: the trial is then an
 * error, and never lost
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
  if (typeof file !== 'string' || file.trim() === '') optionInvalid('file', 'humanQueue: give the path of the queue.')
  let opened: Promise<Queue> | undefined
  async function humanQueue(context: JudgmentContext) {
    const trial = trialIn(context)
    if (trial === undefined) return abstain('only the trials of a run can be left to people')
    const labels = (await labelsOf(results, trial)).filter(({ label }) => label !== 'skip')
    if (labels.length > 0) return labelled(labels)
    opened ??= openQueue(file)
    opened.catch(() => {
      opened = undefined
    })
    await (await opened).add(trial)
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
  const { runId: id, experimentName } = trial
  const inStore = labelsFromLines(`labels of run ${id}`, await offeredLabels({ id, experimentName }))
  const inFile = await readLabels(join(results, experimentName, id, 'labels.jsonl'))
  return currentLabels([...inFile, ...inStore]).filter((label) => trialText(label) === trialText(trial))
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

/** Above this a queue takes no further trial: it is read as a whole. */
const maxBytes = 64 * 1024 * 1024

interface Queue {
  /** Appends a trial that is not in it. */
  readonly add: (trial: QueuedTrial) => Promise<void>
}

async function openQueue(file: string): Promise<Queue> {
  const text = await queueText(file)
  const known = new Set(trialsIn(text).map(keyOf))
  let bytes = Buffer.byteLength(text)
  // A line that a crash cut off must not swallow the next one.
  let start = text === '' || text.endsWith('\n') ? '' : '\n'
  // One line after the other: the first one ends what was cut off.
  let written: Promise<unknown> = Promise.resolve()
  async function append(line: string): Promise<void> {
    await mkdir(dirname(file), { recursive: true })
    await appendFile(file, `${start}${line}`)
    start = ''
  }
  return {
    async add(trial) {
      if (known.has(keyOf(trial))) return
      const line = `${JSON.stringify(trial)}\n`
      if (bytes + Buffer.byteLength(line) > maxBytes) return tooLarge(file)
      // At first, since other trials are added meanwhile.
      known.add(keyOf(trial))
      bytes += Buffer.byteLength(line)
      const adding = written.then(() => append(line))
      written = adding.catch(() => undefined)
      try {
        await adding
      } catch (thrown) {
        known.delete(keyOf(trial))
        throw thrown
      }
    },
  }
}

function tooLarge(file: string): never {
  const problem = 'it is full: a queue holds 64 MB'
  throw new JuristError(
    'label-file-invalid',
    `The queue ${file} takes no further trial: ${problem}. Label what it holds, name another file, and judge again: ${commandLine('rejudge', 'RUN')}`,
    { path: file, problems: [problem] },
  )
}

/**
 * The trials of a queue, oldest first; `[]` where the file does not exist. A line that was cut off by a crash is left out.
 *
 * @throws `label-file-invalid` for a file above 64 MB
 *
 * @example
 * import { queuedTrials } from '@jurist/experiment/label'
 *
 * console.log((await queuedTrials('queue.jsonl')).length)
 */
export async function queuedTrials(file: string): Promise<readonly QueuedTrial[]> {
  return trialsIn(await queueText(file))
}

async function queueText(file: string): Promise<string> {
  try {
    return await regularFileText(file, maxBytes)
  } catch (thrown) {
    if (failureOf(thrown).code === 'EFBIG') return tooLarge(file)
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw thrown
  }
}

/** Lines that cannot be read are left out: their trials are queued again when they are judged again. */
function trialsIn(text: string): readonly QueuedTrial[] {
  return parseLines(text).filter((read) => hasFields<QueuedTrial>(read, { itemId: option.string }))
}
