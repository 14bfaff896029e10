import { expectedAnswersOf, plainText } from '../answers/expected-answer.js'
import type { JudgmentContext } from '../context.js'
import { defined } from '../decoders.js'
import { JuristError } from '../errors.js'
import { withoutOutput } from '../judges/output-text.js'
import { type AbstainJudgment, abstain, type FailJudgment } from '../judgment.js'
import { asText } from '../output.js'

/** What an answer by retrieval consists of; a part that is missing or blank is absent. */
export interface RagFacts {
  readonly question?: string
  /** What was retrieved. */
  readonly context?: string
  readonly answer?: string
}

/**
 * The metadata keys of a context that say what was asked, retrieved and answered.
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
 * Question, retrieved context and answer of a judgment: from the metadata keys `ragKeys`, else the goal, the reference
 * data and the output. A list is joined by newlines (an object in it by its text field `text` or `pageContent`); any
 * other value is taken as JSON. A key that is there but empty gives no fact, and no other source is asked.
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
 * The judgment of a judge that needs these facts, by the first one missing: a fail for an answer, which the agent did not
 * give, else an abstention. `undefined` when all are there.
 */
export function missingFact(
  facts: RagFacts,
  needed: readonly (keyof RagFacts)[],
): AbstainJudgment | FailJudgment | undefined {
  const missing = needed.find((name) => facts[name] === undefined)
  if (missing === 'answer') return withoutOutput()
  return missing && abstain(`there is no ${missing} to judge by`)
}

/** The facts of a context, or the judgment where one that is needed is missing. */
export function neededFacts(
  context: JudgmentContext,
  needed: readonly (keyof RagFacts)[],
): RagFacts | AbstainJudgment | FailJudgment {
  const facts = ragFacts(context)
  return missingFact(facts, needed) ?? facts
}

/** The retrieved texts in their order, each once: from the metadata, else the reference data. Blank ones are left out. */
export function retrievedTexts({ metadata, referenceData = [] }: JudgmentContext): readonly string[] {
  const { context: key } = ragKeys
  const given = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  const list: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? referenceData : [given]
  return [...new Set(list.map((item) => itemText(item, key)).filter((text) => text.trim() !== ''))]
}

/** The expected answer as text, the first where any of a list is right; an abstention without one. */
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

/** An item of a list: the text of a document, as frameworks call it, or JSON. */
function itemText(item: unknown, key: string): string {
  if (typeof item === 'string') return item
  const { text, pageContent } = (item ?? {}) as { readonly text?: unknown; readonly pageContent?: unknown }
  if (typeof text === 'string') return text
  return typeof pageContent === 'string' ? pageContent : jsonOf(item, key)
}

/** Nothing is written for `undefined`: it counts as not given. */
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
