import { asText, flatten } from '@jurist/core'
import type { ItemResult } from '@jurist/experiment/result'

const known = new WeakMap<ItemResult, string>()

/** Everything of a trial that a search looks into, in lower case: names, task, reasons, checks, output, failures. */
export function searchedText(item: ItemResult): string {
  const found = known.get(item)
  if (found !== undefined) return found
  const text = textsOf(item).join('\n').toLowerCase()
  known.set(item, text)
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
