import type { DatasetVersion } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import { type DatasetProblem, refuseErrors, sortedProblems } from '../dataset/problem.js'
import { readSelection, type SelectionReading } from '../dataset/read-selection.js'
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
  const reading = await readSelected(prepared)
  refuseErrors(prepared.dataset.name, reading.problems)
  if (reading.selected === null) throw new Error('A selection without errors has no items.')
  return { ...reading.selected, problems: reading.problems }
}

/** The selected items, and all that is wrong with them, by themselves or in this experiment. */
export async function readSelected(prepared: Prepared): Promise<SelectionReading> {
  const { dataset, settings, code } = prepared
  const asked = { directory: settings.projectDirectory, state: code }
  const reading = await readSelection(dataset, settings.filter, asked)
  if (reading.selected === null) return reading
  const own = itemProblems(prepared, reading.selected.items)
  return own.length === 0 ? reading : { ...reading, problems: sortedProblems([...reading.problems, ...own]) }
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
