import { freeze } from '../freeze.js'
import type { JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import { totalCost, totalUsage } from '../usage.js'
import type { JudgeModelResponse, ModelOptions } from './model.js'

const maxRawText = 4_000

/**
 * The judgment with what it rests on: usage and cost of the answers (absent when none reported them), and the metadata
 * `model`, `rawText` (several answers joined by a blank line; the first 4,000 code units, with `rawTextTruncated` when
 * there is more) and `cached` when every answer came from a cache. What the judgment already has wins.
 *
 * @param options those of the requests, for the name of a model that does not say its own
 */
export function withEvidence(
  judgment: Judgment,
  responses: readonly JudgeModelResponse[],
  options: ModelOptions = {},
): Judgment {
  if (responses.length === 0) return judgment
  const usages = responses.flatMap(({ usage }) => (usage === undefined ? [] : [usage]))
  return assemble(judgment, {
    ...judgment,
    metadata: freeze({ ...metadataOf(responses, options), ...judgment.metadata }),
    usage: judgment.usage ?? (usages.length === 0 ? undefined : totalUsage(usages)),
    costUsd: judgment.costUsd ?? totalCost(responses.map(({ costUsd }) => costUsd)),
  })
}

function metadataOf(responses: readonly JudgeModelResponse[], options: ModelOptions): JsonObject {
  const model = responses.find((response) => response.model !== undefined)?.model ?? options.model
  const rawText = responses.map(({ text }) => text).join('\n\n')
  const cached = responses.every(({ metadata }) => metadata?.['cached'] === true)
  return {
    ...(model === undefined ? {} : { model }),
    rawText: rawText.slice(0, maxRawText),
    ...(rawText.length > maxRawText ? { rawTextTruncated: true } : {}),
    ...(cached ? { cached } : {}),
  }
}
