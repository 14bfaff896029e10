import { JuristError } from '../../errors.js'
import { dotted, type JsonObject, type Place } from '../../json.js'
import { optional, type Read, readCount, readList, readObject, readText, readWord } from '../../options.js'
import type { StandardSchema } from '../../standard-schema.js'
import { fold, strip } from '../classifiers/answer-text.js'

/**
 * A part of the JSON that a model answers with: how it is read, and its JSON Schema for models that can enforce one.
 * Strict servers want every field required, so that the schema requires optional fields too.
 */
export interface AnswerForm<Value> {
  readonly read: Read<Value>
  readonly schema: JsonObject
}

export const textForm: AnswerForm<string> = { read: readText, schema: { type: 'string' } }

/** Models may write the number as a string. */
export const numberForm = (minimum: number): AnswerForm<number> => ({
  read: asModelsWrite(readCount(minimum), numberOf),
  schema: { type: 'integer' },
})

/** Models may write the word in any case, with marks around it. */
export const wordForm = <Word extends string>(...words: readonly Word[]): AnswerForm<Word> => ({
  read: asModelsWrite(readWord(...words), (text) => strip(fold(text))),
  schema: { type: 'string', enum: words },
})

export const anythingForm = (schema: JsonObject): AnswerForm<unknown> => ({ read: (value) => value, schema })

export const optionalForm = <Value>({ read, schema }: AnswerForm<Value>): AnswerForm<Value | undefined> => ({
  read: optional(read),
  schema,
})

export const listForm = <Value>({ read, schema }: AnswerForm<Value>): AnswerForm<readonly Value[]> => ({
  read: readList(read),
  schema: { type: 'array', items: schema },
})

export function objectForm<Whole extends object>(
  parts: {
    readonly [key in keyof Whole]-?: AnswerForm<Whole[key] | undefined>
  },
): AnswerForm<Whole> {
  const entries = Object.entries<AnswerForm<unknown>>(parts)
  const each = <Part>(part: (form: AnswerForm<unknown>) => Part) =>
    Object.fromEntries(entries.map(([key, form]) => [key, part(form)]))
  return {
    read: readObject<Whole>(each(({ read }) => read) as Parameters<typeof readObject<Whole>>[0]),
    schema: {
      type: 'object',
      properties: each(({ schema }) => schema),
      required: Object.keys(parts),
      additionalProperties: false,
    },
  }
}

export function schemaOf<Output>(read: Read<Output>): StandardSchema<Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'jurist',
      validate: (value) => {
        try {
          return { value: read(value, [], misshapen) }
        } catch (thrown) {
          if (JuristError.is(thrown, 'response-invalid')) return { issues: [{ message: thrown.details.reason }] }
          throw thrown
        }
      },
    },
  }
}

function misshapen(place: Place, problem: string): never {
  const reason = `${dotted(place)} ${problem}`
  throw new JuristError('response-invalid', `Not the answer that was asked for: ${reason}.`, { reason })
}

function asModelsWrite<Value>(read: Read<Value>, meaning: (text: string) => unknown): Read<Value> {
  return (value, place, raise) => read(typeof value === 'string' ? meaning(value) : value, place, raise)
}

export function numberOf(text: string): number | string {
  const number = strip(fold(text)) === '' ? Number.NaN : Number(fold(text))
  return Number.isFinite(number) ? number : text
}
