import type { JudgmentContext } from '../context.js'
import type { JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import { totalCost, totalUsage } from '../usage.js'
import { shortened } from './fence.js'
import type { JudgeModelResponse, ModelMessage, ModelOptions, RenderedPrompt } from './model.js'

const maxRawText = 4_000
const maxPrompt = 8_000
const between = '\n\n'

/** The requests of one judgment and their answers. */
export interface Exchange {
  /** Without requests that only ask again. */
  readonly prompts: readonly Pick<RenderedPrompt, 'messages'>[]
  readonly responses: readonly JudgeModelResponse[]
  /** The options of the requests; they name the model if the answer does not. */
  readonly options?: ModelOptions | undefined
}

/**
 * Adds usage and cost of the answers (absent when none reported them) and metadata: `model`; `notices` of the model,
 * such as a looser form of answers; `rawText` (several answers joined by a blank line; 4,000 code units in all, an
 * equal part of each, with `rawTextTruncated` when there is more); `cached` when every answer came from a cache; and
 * `prompt` where the context records prompts (8,000 code units, with `promptTruncated`). Values that the judgment
 * already has are kept.
 */
export function withEvidence(judgment: Judgment, exchange: Exchange, context: JudgmentContext): Judgment {
  const { responses } = exchange
  const recorder = context.judging?.recordPrompt
  const asked = recorder === undefined ? {} : promptMetadata(exchange, recorder)
  if (responses.length === 0 && !('prompt' in asked)) return judgment
  const usages = responses.flatMap(({ usage }) => (usage === undefined ? [] : [usage]))
  const answered = responses.length === 0 ? {} : answerMetadata(exchange, recorder)
  return assemble(judgment, {
    ...judgment,
    metadata: Object.freeze({ ...answered, ...asked, ...judgment.metadata }),
    usage: judgment.usage ?? (usages.length === 0 ? undefined : totalUsage(usages)),
    costUsd: judgment.costUsd ?? totalCost(responses.map(({ costUsd }) => costUsd)),
  })
}

type Recorder = (text: string) => string

function answerMetadata({ responses, options }: Exchange, recorded: Recorder = (text) => text): JsonObject {
  const model = responses.find((response) => response.model !== undefined)?.model ?? options?.model
  const texts = responses.map(({ text }) => recorded(text))
  const rawText = texts.join(between)
  const cached = responses.every(({ metadata }) => metadata?.['cached'] === true)
  const notices = [...new Set(responses.flatMap(({ metadata }) => noticesIn(metadata)))]
  return {
    ...(model === undefined ? {} : { model }),
    rawText: rawText.length > maxRawText ? cutEvenly(texts) : rawText,
    ...(rawText.length > maxRawText ? { rawTextTruncated: true } : {}),
    ...(cached ? { cached } : {}),
    ...(notices.length === 0 ? {} : { notices }),
  }
}

export function noticesIn(metadata: JsonObject | undefined): readonly string[] {
  const notices = metadata?.['notices']
  return Array.isArray(notices) ? notices.filter((notice): notice is string => typeof notice === 'string') : []
}

/** Cuts each text, so that none is lost behind a long one. */
function cutEvenly(texts: readonly string[]): string {
  const each = Math.max(1, Math.floor((maxRawText - between.length * (texts.length - 1)) / texts.length))
  return texts.map((text) => text.slice(0, each)).join(between)
}

/**
 * Each prompt once, since samples share one. Keeps the beginning and the end of long ones, which contain the question
 * and the form.
 */
function promptMetadata({ prompts }: Exchange, recorded: Recorder): JsonObject {
  const texts = [...new Set(prompts.map(({ messages }) => recorded(messagesText(messages))))]
  if (texts.length === 0) return {}
  const each = Math.floor(maxPrompt / texts.length)
  const isCut = texts.some((text) => text.length > each)
  const prompt = texts.map((text) => shortened(text, each)).join(between)
  return { prompt, ...(isCut ? { promptTruncated: true } : {}) }
}

/** A single message has no role. */
function messagesText(messages: readonly ModelMessage[]): string {
  const [only] = messages
  if (messages.length === 1 && only?.role === 'user') return only.content
  return messages.map(({ role, content }) => `[${role}]\n${content}`).join(between)
}
