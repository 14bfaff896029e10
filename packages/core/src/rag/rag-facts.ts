import { expectedAnswersOf, plainText } from '../answers/expected-answer.js'
import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { withoutOutput } from '../judges/output-text.js'
import { type AbstainJudgment, abstain, type FailJudgment } from '../judgment.js'
import { defined } from '../options.js'
import { asText } from '../output.js'

/** The parts of an answer by retrieval. Missing and blank parts are absent. */
export interface RagFacts {
  readonly question?: string
  /** The retrieved text. */
  readonly context?: string
  readonly answer?: string
}

/**
 * The metadata keys of a context for the question, the retrieved text and the answer.
 *
 * @example
 * import { judgmentContext } from '@jurist/core'
 * import { ragKeys } from '@jurist/core/rag'
 *
 * judgmentContext({ goal: 'Who wrote it?', metadata: { [ragKeys.context]: ['Ada wrote it.'] } })
 */
export const ragKeys: {
  readonly question: 'rag.question'
  readonly context: 'rag.context'
  readonly answer: 'rag.answer'
} = Object.freeze({ question: 'rag.question', context: 'rag.context', answer: 'rag.answer' })

/**
 * Reads question, retrieved context and answer of a judgment: from the metadata keys `ragKeys`, or else from the goal,
 * the reference data and the output. A list is joined by newlines (an object in it by its text field `text` or
 * `pageContent`); any other value is written as JSON. A key that is present but empty gives no fact, and no other
 * source is read.
 *
 * @throws `metadata-invalid` for a value that cannot be written as JSON
 *
 * @example
 * import { judgmentContext } from '@jurist/core'
 * import { ragFacts } from '@jurist/core/rag'
 *
 * ragFacts(judgmentContext({ goal: 'Who wrote it?', referenceData: ['Ada wrote it.'], agentOutput: 'Ada' }))
 */
export function ragFacts(context: JudgmentContext): RagFacts {
  const { goal, referenceData, agentOutput } = context
  return defined<RagFacts>({
    question: factOf(context, ragKeys.question, () => goal),
    context: factOf(context, ragKeys.context, () => (referenceData ?? []).join('\n')),
    answer: factOf(context, ragKeys.answer, () => asText(agentOutput)),
  })
}

/**
 * A missing answer is a fail, because it is the agent's; any other missing fact is an abstention. `undefined` when all
 * are there.
 */
export function missingFact(
  facts: RagFacts,
  needed: readonly (keyof RagFacts)[],
): AbstainJudgment | FailJudgment | undefined {
  const missing = needed.find((name) => facts[name] === undefined)
  if (missing === 'answer') return withoutOutput()
  return missing && abstain(`there is no ${missing} to judge by`)
}

export function neededFacts(
  context: JudgmentContext,
  needed: readonly (keyof RagFacts)[],
): RagFacts | AbstainJudgment | FailJudgment {
  const facts = ragFacts(context)
  return missingFact(facts, needed) ?? facts
}

/** From the metadata, or else the reference data. Leaves out repetitions and blank texts, and keeps the order. */
export function retrievedTexts({ metadata, referenceData = [] }: JudgmentContext): readonly string[] {
  const { context: key } = ragKeys
  const given = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  const list: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? referenceData : [given]
  return [...new Set(list.map((item) => itemText(item, key)).filter((text) => text.trim() !== ''))]
}

/** If any of several answers is right, returns the first. */
export function expectedText(context: JudgmentContext): string | AbstainJudgment {
  const [first] = expectedAnswersOf(context)
  const text = first === undefined ? '' : plainText(first)
  return text.trim() === '' ? abstain('there is no expected output to judge by') : text
}

function factOf({ metadata }: JudgmentContext, key: string, otherwise: () => string): string | undefined {
  const given = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  const text = given === undefined ? otherwise() : textOf(given, key)
  return text.trim() === '' ? undefined : text
}

function textOf(value: unknown, key: string): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map((item) => itemText(item, key)).join('\n') : jsonOf(value, key)
}

/** The text of a document, under the names that frameworks use, or JSON. */
function itemText(item: unknown, key: string): string {
  if (typeof item === 'string') return item
  const { text, pageContent } = (item ?? {}) as { readonly text?: unknown; readonly pageContent?: unknown }
  if (typeof text === 'string') return text
  return typeof pageContent === 'string' ? pageContent : jsonOf(item, key)
}

/** `undefined` counts as absent. */
function jsonOf(value: unknown, key: string): string {
  if (value === undefined) return ''
  const path = `metadata["${key}"]`
  try {
    const json = JSON.stringify(value) as string | undefined
    if (json !== undefined) return json
  } catch (cause) {
    throw notJson(path, cause)
  }
  throw notJson(path)
}

function notJson(path: string, cause?: unknown): JuristError {
  return new JuristError(
    'metadata-invalid',
    `${path} cannot be written as text. Give a string or an array of strings.`,
    {
      path,
    },
    { cause },
  )
}
