import type { Json } from '../json.js'
import { abstain, type Judgment } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import { listForm, numberForm, objectForm, schemaOf, wordForm } from '../llm/judges/answer-form.js'
import type { PromptShape } from '../llm/judges/own-prompt.js'
import type { Classify } from '../llm/model.js'

/** The answers of a model for a numbered list: `{"verdicts": [{"claim": 1, "supported": "yes"}, …]}`. */
export interface NumberedVerdicts {
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

export function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
