import type { JudgmentContext } from '../context.js'
import type { Json } from '../json.js'
import type { Judge } from '../judge.js'
import { abstain, type Judgment, pass, scored } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import { listForm, numberForm, objectForm, schemaOf, textForm, wordForm } from '../llm/judges/answer-form.js'
import { type ModelBase, modelled } from '../llm/judges/model-base.js'
import type { PromptShape } from '../llm/judges/prompted.js'
import { prompted, promptedBy, type Question } from '../llm/judges/prompted.js'
import type { Classify } from '../llm/model.js'
import { modelCalls } from '../llm/model-calls.js'
import type { RagFacts } from './rag-facts.js'

/** The answers of a model for a numbered list: `{"verdicts": [{"claim": 1, "supported": "yes"}, …]}`. */
interface NumberedVerdicts {
  /** The instruction for the answer, for the prompt. */
  readonly form: string
  /** For models that can enforce a schema. */
  readonly response: Json
  /** The answer to one entry, for examples. */
  readonly example: Pick<PromptShape, 'answer' | 'verdicts'>
  /**
   * Abstains unless each of `count` entries has exactly one answer, and otherwise returns the result of `conclude`.
   * Entries are numbered from 1; a model that counts them all from 0 is understood too.
   */
  readonly reader: (count: number, conclude: (holds: readonly boolean[]) => Judgment) => Classify
}

/** `entry` is a claim or a source, `word` the key of the answer. */
export function numberedVerdicts(entry: string, word: string): NumberedVerdicts {
  const verdict = objectForm<{ readonly [key: string]: unknown }>({
    [entry]: numberForm(0),
    [word]: wordForm('yes', 'no', 'unclear'),
  })
  const { read, schema } = objectForm({ verdicts: listForm(verdict) })
  return {
    form:
      `Answer with JSON and nothing else: {"verdicts": [{"${entry}": <its number>, "${word}": "yes", "no" or "unclear"}, ` +
      `…]}, one entry for each ${entry}.`,
    response: schema,
    example: {
      verdicts: '"pass" or "fail"',
      answer: (verdict) => {
        const said = verdict === 'pass' ? 'yes' : verdict === 'fail' ? 'no' : undefined
        return said && JSON.stringify({ verdicts: [{ [entry]: 1, [word]: said }] })
      },
    },
    reader: (count, conclude) =>
      json(schemaOf(read), ({ verdicts }) => {
        const byNumber = new Map(verdicts.map((one) => [one[entry], one[word]]))
        const numbers = Array.from({ length: count }, (_, index) => index)
        const first = [1, 0].find((from) => numbers.every((index) => byNumber.has(index + from)))
        if (first !== undefined && verdicts.length === count)
          return conclude(numbers.map((index) => byNumber.get(index + first) === 'yes'))
        return abstain(`the ${entry}s do not have one answer each`, {
          metadata: { [`${entry}s`]: count, unread: 'none' },
        })
      }),
  }
}

/** Each text is on one line, so that none can look like two. */
export function numbered(texts: readonly string[]): string {
  return texts.map((text, index) => `${index + 1}. ${inOneLine(text)}`).join('\n')
}

function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** One sentence each. */
interface Claims {
  readonly claims: readonly string[]
}

const claimsAnswer = objectForm<Claims>({ claims: listForm(textForm) })

export const claimsForm: string = 'Answer with JSON and nothing else: {"claims": [<text>, …]}.'

/** Asks for the claims of a text, and then about each claim. */
export interface ClaimsJudge {
  readonly base: ModelBase & { readonly name: string }
  /** The name of the factory, for messages. */
  readonly where: string
  readonly threshold: number
  /** Returns a judgment where something is missing. */
  readonly factsOf: (context: JudgmentContext) => RagFacts | Judgment
  /** Asks for the claims of the text. */
  readonly naming: (facts: RagFacts) => Question
  /** The second question, without the form of its answer. The claims are fenced. */
  readonly deciding: (facts: RagFacts, claims: string) => Omit<Question, 'answer'>
  readonly verdicts: NumberedVerdicts
  /** The slots of the second question; an example is one claim. */
  readonly shape: Pick<PromptShape, 'data' | 'needed' | 'example'>
  /** Completes "3 of 4 claims …". */
  readonly says: string
  /** The metadata key of the number of claims that hold. */
  readonly key: string
  /** The judgment of a text without claims. */
  readonly nothing: () => Judgment
}

/** Makes two calls. The score is the share of the claims that hold; each claim is a check. */
export function claimsJudge(options: ClaimsJudge): Judge {
  const { base, where, factsOf, naming, deciding, verdicts, shape } = options
  const calls = modelCalls(base)
  const promptedOwn = promptedBy(where, base, { ...shape, ...verdicts.example })
  const judge: Judge = async (context) => {
    const facts = factsOf(context)
    if ('status' in facts) return facts
    let claims: readonly string[] = []
    const read = json(schemaOf(claimsAnswer.read), (named) => {
      claims = named.claims.map(inOneLine).filter((claim) => claim !== '')
      // A pass, so it must be the last word: a quoted list does not count.
      return pass('the claims were named')
    })
    const first = { prompt: prompted(naming(facts)), read, options: { responseSchema: claimsAnswer.schema } }
    const named = await calls.askUntilRead(first, context)
    const unread = named.read?.judgment.status === 'abstain' ? named.read.judgment : undefined
    if (unread !== undefined || claims.length === 0)
      return calls.conclude(context, [], () => ({ judgment: unread ?? options.nothing() }), named.asked)
    const prompt = promptedOwn({ ...deciding(facts, numbered(claims)), answer: verdicts.form })
    const decide = verdicts.reader(claims.length, (holds) => shareOf(claims, holds, options))
    return calls.judge({ prompt, read: decide, options: { responseSchema: verdicts.response } }, context, named.asked)
  }
  return modelled(judge, { ...base, threshold: options.threshold })
}

function shareOf(
  claims: readonly string[],
  holds: readonly boolean[],
  { says, key, threshold }: ClaimsJudge,
): Judgment {
  const checks = claims.map((message, index) => ({
    name: `claim-${index + 1}`,
    passed: holds[index] === true,
    message,
  }))
  const count = holds.filter((one) => one).length
  const reasoning = `${count} of ${claims.length} claims ${says}`
  const metadata = { claims: claims.length, [key]: count }
  return scored(count / claims.length, { passingAt: threshold, reasoning, checks, metadata })
}
