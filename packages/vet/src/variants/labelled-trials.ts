import type { AgentTask, JudgmentContext } from '@jurist/core'
import type { DatasetItem } from '@jurist/experiment'
import { trialText } from '@jurist/experiment/internal/results'
import { currentLabels, type Label } from '@jurist/experiment/label'
import type { RejudgeContext } from '@jurist/experiment/rejudge'
import type { ExperimentResult } from '@jurist/experiment/result'
import { copiedInto, filesIn } from '../reference-agent.js'

/** A stored run with the labels of its trials. */
export interface LabelledRun {
  readonly run: ExperimentResult
  /** In the order in which they were given. */
  readonly labels: readonly Label[]
  /** Opens a trial of the run as it ended, as `storedContext` of `@jurist/experiment/rejudge` does. */
  readonly context: RejudgeContext
}

/** A stored trial that people labelled right and whose jury failed. */
export interface LabelledTrial {
  /** Its run and its name, by which `jurist show` finds it. */
  readonly name: string
  /** Who labelled it, such as `right by ana, wrong by ben`. */
  readonly what: string
  /** Whether at least two people say that it is right, and none that it is wrong. */
  readonly isSure: boolean
  readonly open: (signal: AbortSignal) => ReturnType<RejudgeContext>
}

/**
 * Returns the failed trials of an item that at least as many people labelled right as wrong: the last ones of each run,
 * at most `most` in all. Trials of an earlier task text are left out, since their labels are about another task.
 */
export function labelledTrials(
  { id, task }: Pick<DatasetItem, 'id' | 'task'>,
  runs: readonly LabelledRun[],
  most: number,
): readonly LabelledTrial[] {
  const found = runs.flatMap(({ run, labels, context }) => {
    const own = currentLabels(labels).filter(
      (label) => label.itemId === id && label.by !== 'models' && (label.run ?? run.id) === run.id,
    )
    return run.items.flatMap((item) => {
      if (item.itemId !== id || item.task !== task || item.agent !== 'completed' || item.judged !== 'fail') return []
      const said = own.filter(({ repetition }) => repetition === item.repetition)
      const by = (word: Label['label']) => said.flatMap(({ label, annotator }) => (label === word ? [annotator] : []))
      const [right, wrong] = [by('pass'), by('fail')]
      if (right.length === 0 || right.length < wrong.length) return []
      return {
        name: `${run.id} ${trialText(item)}`,
        what: [people('right', right), people('wrong', wrong)].filter((text) => text !== '').join(', '),
        isSure: right.length > 1 && wrong.length === 0,
        open: (signal: AbortSignal) => context(item, run, signal),
      }
    })
  })
  return found.slice(-most)
}

function people(word: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${word} by ${names.map((name) => name || 'a person').join(' and ')}`
}

/**
 * Brings a workspace into the state in which a stored trial ended.
 *
 * @throws if the files of the trial are not kept
 */
export async function layTrial(
  task: AgentTask,
  { open }: LabelledTrial,
): Promise<Pick<JudgmentContext, 'agentOutput' | 'turns'>> {
  const stored = await open(task.signal)
  if ('skip' in stored) throw new Error(stored.message)
  const { workspace: ended, before, agentOutput, turns } = stored
  try {
    await copiedInto(task, ended, await filesIn(ended, task.signal))
    for (const path of before === undefined ? [] : await filesIn(before, task.signal))
      if (!(await ended.exists(path)) && (await task.workspace.exists(path))) await task.workspace.remove(path)
  } finally {
    if (Symbol.asyncDispose in ended) await (ended as AsyncDisposable)[Symbol.asyncDispose]()
  }
  return { ...(agentOutput && { agentOutput }), ...(turns && { turns }) }
}
