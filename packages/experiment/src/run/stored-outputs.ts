import type { Agent, AgentTask } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { Dataset } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import { outputOfItem } from '../dataset/item-fields.js'
import type { DatasetProblem } from '../dataset/problem.js'
import { completed, type TrialFacts } from '../invocation.js'

type TaskMetadata = NonNullable<AgentTask['metadata']>

/** The items of tasks by the metadata of the task, which agents pass on unchanged. No other agent can look them up. */
const items = new WeakMap<TaskMetadata, DatasetItem>()

/** The metadata of a task: its trial, the scenario of its item for simulated users, and the way to the item for `storedOutputs`. */
export function taskMetadata(item: DatasetItem, trial: TrialFacts): TaskMetadata {
  const { scenario } = item.metadata
  const metadata = Object.freeze(scenario === undefined ? trial : { ...trial, scenario })
  if (outputOfItem(item) !== undefined) items.set(metadata, item)
  return metadata
}

/**
 * An agent that returns the output that the item has already: the column `output` of a row (or `actual`, `response`;
 * `answer` beside `ground_truth`), or `metadata.output` of any item. It calls nothing and is free. It is the default of an
 * experiment without an agent.
 *
 * @returns an agent whose trials are errors for items without an output; a run refuses such items before it starts
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { runExperiment, storedOutputs } from '@jurist/experiment'
 *
 * runExperiment({ name: 'answers', dataset: 'answers.csv', agent: storedOutputs(), jury: outputText({ contains: 'Paris' }) })
 */
export function storedOutputs(): Agent {
  const agent: Agent = function storedOutputs({ metadata }) {
    const item = metadata === undefined ? undefined : items.get(metadata)
    const output = item === undefined ? undefined : outputOfItem(item)
    if (output !== undefined) return completed({ output, costUsd: 0 })
    return { status: 'error', failure: failureOf(new Error('The item has no output. Add one, or use another agent.')) }
  }
  repeating.add(agent)
  return agent
}

const repeating = new WeakSet<object>()

/** The selected items that an agent cannot answer because it only repeats outputs, and they have none. */
export function missingOutputs(
  agent: object | undefined,
  selected: readonly DatasetItem[],
  dataset: Pick<Dataset, 'name'>,
): readonly DatasetProblem[] {
  if (agent !== undefined && !repeating.has(agent)) return []
  const without = selected.filter((item) => outputOfItem(item) === undefined)
  if (without.length === 0) return []
  const found = { field: null, severity: 'error' } as const
  const remedy = 'Give the experiment an agent, or the rows a column "output"; "columns" can name another.'
  const none = 'has no outputs, and the experiment has no agent.'
  if (without.length === selected.length) return [{ ...found, file: dataset.name, item: null, problem: none, remedy }]
  return without.map(({ id, path }) => {
    return { ...found, file: path ?? dataset.name, item: id, problem: `${id} has no output.`, remedy: addIt }
  })
}

const addIt = 'Add it, or leave the item out with a filter.'

const recordings = new WeakSet<object>()

/**
 * Marks an agent that replays recordings. Its trials take the recorded `elapsedMs`, or 0 if none was recorded: the time of the
 * replay is meaningless, and no figure counts it.
 */
export function recordedAgent(agent: Agent): Agent {
  recordings.add(agent)
  return agent
}

export function isRecordedAgent(agent: object): boolean {
  return recordings.has(agent)
}
