import type { DatasetVersion } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import { type DatasetProblem, refuseErrors, sortedProblems } from '../dataset/problem.js'
import { unknownKnowledgeRefs } from '../provision/knowledge.js'
import type { Prepared } from './prepare.js'
import { defaultTemplate, promptProblems, renderPrompt } from './prompt.js'
import type { Settings } from './settings.js'
import type { Trial } from './trial.js'

/** The items that a run is about, checked. */
export interface Selection {
  readonly items: readonly DatasetItem[]
  readonly version: DatasetVersion
  readonly problems: readonly DatasetProblem[]
}

/**
 * Reads and checks the selected items.
 *
 * @throws `dataset-invalid` with every error of the items; `option-invalid` for a malformed filter
 */
export async function select(prepared: Prepared): Promise<Selection> {
  const { dataset, settings } = prepared
  const found = await dataset.problems(settings.filter)
  refuseErrors(dataset.name, found)
  const selection = await readItems(prepared, found)
  refuseErrors(dataset.name, selection.problems)
  return selection
}

/** The selected items, none of which is broken by itself, and what is wrong with them in this experiment. */
export async function readItems(prepared: Prepared, found: readonly DatasetProblem[]): Promise<Selection> {
  const { dataset, settings } = prepared
  const items: DatasetItem[] = []
  for await (const item of dataset.items(settings.filter)) items.push(item)
  const problems = sortedProblems([...found, ...itemProblems(prepared, items)])
  return { items, version: await dataset.describe(settings.filter), problems }
}

/** Metadata that the prompt wants and items do not have, knowledge that items want and nobody has. */
function itemProblems({ settings, knowledge }: Prepared, items: readonly DatasetItem[]): readonly DatasetProblem[] {
  const ofPrompt = usesMetadata(settings.prompt) ? items.flatMap((item) => promptProblems(settings.prompt, item)) : []
  const ofKnowledge = knowledge === null ? [] : items.flatMap((item) => unknownKnowledgeRefs(item, knowledge.manifest))
  return [...ofPrompt, ...ofKnowledge]
}

function usesMetadata(template: string): boolean {
  return template.includes('metadata.')
}

/** The trials of a run in result order: in that of the items, then by repetition. */
export function* trialsOf(
  items: readonly DatasetItem[],
  { prompt: template, repetitions }: Pick<Settings, 'prompt' | 'repetitions'>,
): Generator<Trial, void> {
  let index = 0
  for (const item of items) {
    const prompt = template === defaultTemplate ? item.task : renderPrompt(template, item)
    for (let repetition = 1; repetition <= repetitions; repetition++)
      yield { itemId: item.id, repetition, index: index++, item, prompt }
  }
}
