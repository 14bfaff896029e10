import type { Agent } from 'jurist'
import type { Dataset } from 'jurist/experiment'
import { completed, trialOf } from 'jurist/experiment'
import { localWorkspace } from 'jurist/workspace'

/** Writes the right answers: the ceiling. An item that it fails is broken. Only it may look into the dataset. */
export function reference(dataset: Dataset): Agent {
  return async function reference(task) {
    const trial = trialOf(task)
    const source = trial === undefined ? null : (await dataset.item(trial.itemId)).reference
    if (source?.type !== 'directory') throw new Error('The reference agent needs an item with a reference/ directory.')
    await using answers = localWorkspace(source.path)
    for await (const { path, type } of answers.list({ under: 'src' }))
      if (type === 'file') await task.workspace.write(path, await answers.read(path))
    return completed({ costUsd: 0 })
  }
}
