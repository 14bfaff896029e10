import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ExperimentOptions } from '@jurist/experiment'
import { openDataset } from '@jurist/experiment/dataset'
import { usageInvalid } from '@jurist/experiment/plugin'
import { safeLine } from '@jurist/kit/terminal'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { unknownAmong } from '../../config/problems.js'
import { judgesOf } from './assertion-judges.js'
import { readEvals, type TriggerQuery } from './evals.js'
import { argumentOf, type Subject } from './subject.js'
import { itemsOf, type JudgedEval } from './tasks.js'

/** The flags that choose what is asked. */
export interface Asking {
  readonly evals: string | undefined
  readonly dataset: string | undefined
  readonly triggers: boolean
  readonly noTriggers: boolean
  readonly judgeModel: string | undefined
  readonly countObedience: boolean
  readonly item: readonly string[]
}

export interface Asked {
  /** `null`: no tasks, or those of a dataset. */
  readonly judged: readonly JudgedEval[] | null
  readonly queries: readonly TriggerQuery[]
}

/**
 * Reads the evals and the trigger queries.
 *
 * @throws `usage-invalid` when there is nothing to ask
 */
export async function readAsked(host: Host, subject: Subject, asking: Asking): Promise<Asked> {
  const { kind, name } = subject
  if (asking.dataset !== undefined) return { judged: null, queries: [] }
  const { evals, ownFiles, unknown, ...found } = await readEvals(subject, asking.evals, host.cwd)
  if (unknown.length > 0) host.note(`Fields of the evals that are not used: ${unknown.map(safeLine).join(', ')}.`)
  if (ownFiles.length > 0) host.note(`Not copied, since the ${kind} brings them: ${ownFiles.map(safeLine).join(', ')}.`)
  // Instructions are always read: they do not fire.
  const queries = asking.noTriggers || kind === 'file' ? [] : found.queries
  if (asking.triggers && queries.length === 0)
    throw usageInvalid('--triggers', `${name} has no trigger queries. Write evals/trigger-evals.json.`)
  if (!asking.triggers && evals.length === 0)
    throw usageInvalid(
      argumentOf[kind],
      `There is no evals/evals.json beside ${name}. Write {"evals": [{"prompt": "…", "assertions": ["…"]}]}, or name --evals or --dataset.`,
    )
  const ids = evals.map(({ id }) => id)
  const unknownItem = asking.item.find((id) => !ids.includes(id))
  if (unknownItem !== undefined)
    throw usageInvalid('--item', `There is no eval "${unknownItem}".${unknownAmong(unknownItem, ids)}`)
  const chosen = evals.filter(({ id }) => asking.item.length === 0 || asking.item.includes(id))
  const judged = chosen.map((one) => ({ eval: one, judges: judgesOf(one, subject, asking.judgeModel) }))
  return { judged: asking.triggers ? null : judged, queries }
}

/** The tasks of both arms. */
export interface Tasks extends Pick<ExperimentOptions, 'dataset' | 'filter'> {
  /** How many. */
  readonly planned: number
}

/** @throws `usage-invalid` for a task that nothing can judge */
export async function tasksOf(
  host: Host,
  results: Results,
  subject: Subject,
  { judged }: Asked,
  { dataset, item, countObedience }: Asking,
): Promise<Tasks | null> {
  if (dataset !== undefined) return ownTasks(resolve(host.cwd, dataset), dataset, item)
  if (judged === null) return null
  const items = await itemsOf(host, results, subject, judged, countObedience)
  return { dataset: items, planned: items.length }
}

async function ownTasks(path: string, given: string, ids: readonly string[]): Promise<Tasks> {
  await access(path).catch(() => {
    throw usageInvalid('--dataset', `${given} is missing. Name a dataset.`)
  })
  const filter = ids.length === 0 ? undefined : { id: ids }
  const bare: string[] = []
  let planned = 0
  for await (const { id, judges } of (await openDataset(path)).items(filter)) {
    planned += 1
    if (judges === null) bare.push(id)
  }
  if (bare.length > 0)
    throw usageInvalid('--dataset', `Items without judges: ${bare.slice(0, 10).join(', ')}. Add "judges" to them.`)
  if (planned === 0) throw usageInvalid('--item', `${given} has no such item. Correct --item.`)
  return { dataset: path, planned, ...(filter === undefined ? {} : { filter }) }
}
