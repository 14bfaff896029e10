import { freeze } from '../freeze.js'
import type { JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import { totalCost, totalUsage } from '../usage.js'
import type { JudgeModelResponse, ModelOptions } from './model.js'

const maxRawText = 4_000
const between = '\n\n'

/**
 * The judgment with what it rests on: usage and cost of the answers (absent when none reported them), and the metadata
 * `model`, `rawText` (several answers joined by a blank line; 4,000 code units in all, an equal part of each, with
 * `rawTextTruncated` when there is more) and `cached` when every answer came from a cache. What the judgment already has wins.
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
  const rawText = responses.map(({ text }) => text).join(between)
  const cached = responses.every(({ metadata }) => metadata?.['cached'] === true)
  return {
    ...(model === undefined ? {} : { model }),
    rawText: rawText.length > maxRawText ? cutEvenly(responses) : rawText,
    ...(rawText.length > maxRawText ? { rawTextTruncated: true } : {}),
    ...(cached ? { cached } : {}),
  }
}

/** The beginning of each text, so that none of them is lost behind a long one. */
function cutEvenly(responses: readonly JudgeModelResponse[]): string {
  const each = Math.max(1, Math.floor((maxRawText - between.length * (responses.length - 1)) / responses.length))
  return responses.map(({ text }) => text.slice(0, each)).join(between)
}
