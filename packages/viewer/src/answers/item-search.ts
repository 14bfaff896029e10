import { asText, flatten } from '@jurist/core'
import { itemsOf, trialsOf } from '@jurist/experiment/internal/results'
import { type ItemResult, type RunResult, reasonOf, type Trial } from '@jurist/experiment/result'

/**
 * The trials that contain these words, in any case. In one run in any text of a trial, which reads it whole; in several
 * runs in names, tags and reasons, which the index has.
 */
export async function foundTrials(runs: readonly RunResult[], words: string): Promise<ReadonlySet<Trial>> {
  const wanted = words.toLowerCase().trim()
  const [run] = runs
  if (run === undefined || runs.length > 1)
    return new Set(runs.flatMap((one) => trialsOf(one).filter((trial) => knownText(trial).includes(wanted))))
  const trials = trialsOf(run)
  const items = await itemsOf(run)
  return new Set(trials.filter((_, index) => searchedText(items[index]).includes(wanted)))
}

function knownText(trial: Trial): string {
  const { itemId, bucket, tags } = trial
  return [itemId, bucket, ...tags, reasonOf(trial)].join('\n').toLowerCase()
}

const searchedTexts = new WeakMap<ItemResult, string>()

/** The text of a trial that a search matches, in lower case: names, task, reasons, checks, output and failures. */
function searchedText(item: ItemResult | undefined): string {
  if (item === undefined) return ''
  const found = searchedTexts.get(item)
  if (found !== undefined) return found
  const text = textsOf(item).join('\n').toLowerCase()
  searchedTexts.set(item, text)
  return text
}

function textsOf({ itemId, itemSlug, bucket, taskType, tags, task, failure, verdict, detail }: ItemResult): string[] {
  const judgments = verdict === null ? [] : flatten(verdict)
  const output = detail?.kind === 'agent' ? asText(detail.invocation.output) : ''
  return [
    itemId,
    itemSlug,
    bucket,
    taskType,
    ...tags,
    task,
    failure?.message ?? '',
    ...judgments.flatMap(({ path, judgment: { reasoning, checks } }) => [
      path,
      reasoning,
      ...checks.flatMap(({ name, message }) => [name, message]),
    ]),
    output,
    ...(detail?.kind === 'judge' ? [detail.scorer.reasoning, detail.expectedLabel ?? ''] : []),
  ]
}
