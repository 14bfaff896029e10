import { readList, readObject } from '../decoders.js'
import type { Json } from '../json.js'
import { abstain, type Judgment } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import { readNumber, readWordOf, schemaOf } from '../llm/judges/model-base.js'
import type { PromptShape } from '../llm/judges/own-prompt.js'
import type { Classify } from '../llm/model.js'
import type { StandardSchema } from '../standard-schema.js'

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

type Word = 'yes' | 'no' | 'unclear'

interface Verdict {
  readonly entry: number
  readonly word: Word
}

/** `entry` is a claim or a source, `word` the key of the answer. */
export function numberedVerdicts(entry: string, word: string): NumberedVerdicts {
  return {
    form:
      `Answer with JSON and nothing else: {"verdicts": [{"${entry}": <its number>, "${word}": "yes", "no" or "unclear"}, ` +
      `…]}, one entry for each ${entry}.`,
    response: responseOf(entry, word),
    example: {
      verdicts: '"pass" or "fail"',
      answer: (verdict) => {
        const said = verdict === 'pass' ? 'yes' : verdict === 'fail' ? 'no' : undefined
        return said && JSON.stringify({ verdicts: [{ [entry]: 1, [word]: said }] })
      },
    },
    reader: (count, conclude) =>
      json(schemaOfVerdicts(entry, word), (verdicts) => {
        const byNumber = new Map(verdicts.map((verdict) => [verdict.entry, verdict.word]))
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

function schemaOfVerdicts(entry: string, word: string): StandardSchema<readonly Verdict[]> {
  const readers = { [entry]: readNumber(0), [word]: readWordOf<Word>('yes', 'no', 'unclear') }
  const read = readObject<{ verdicts: readonly { readonly [key: string]: unknown }[] }>({
    verdicts: readList(readObject<{ readonly [key: string]: unknown }>(readers)),
  })
  return schemaOf((value, place, raise) =>
    read(value, place, raise).verdicts.map((verdict) => ({
      entry: verdict[entry] as number,
      word: verdict[word] as Word,
    })),
  )
}

function responseOf(entry: string, word: string): Json {
  return {
    type: 'object',
    properties: {
      verdicts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { [entry]: { type: 'integer' }, [word]: { type: 'string', enum: ['yes', 'no', 'unclear'] } },
          required: [entry, word],
          additionalProperties: false,
        },
      },
    },
    required: ['verdicts'],
    additionalProperties: false,
  }
}

/** Each text is on one line, so that none can look like two. */
export function numbered(texts: readonly string[]): string {
  return texts.map((text, index) => `${index + 1}. ${inOneLine(text)}`).join('\n')
}

export function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
