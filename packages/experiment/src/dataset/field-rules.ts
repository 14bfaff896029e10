import type { AgentOutput } from '@jurist/core'
import { textOutput } from '@jurist/core'
import { frozenJson, isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import type { ItemStatus } from './item.js'
import { itemStatuses } from './item.js'

/** The parts that the rules of `dataset.json`, `item.json` and rows are made of. A message ends a sentence. */
type Rule<Value> = v.GenericSchema<Value>

/** A text that is not blank. */
export const text: Rule<string> = v.pipe(
  v.string('must be a text'),
  v.check((value) => value.trim() !== '', 'is blank'),
)
/** A text that may be blank. */
export const anyText: Rule<string> = v.string('must be a text')
export const texts: Rule<string[]> = v.array(anyText, 'must be a list of texts')
export const yesOrNo: Rule<boolean> = v.boolean('must be true or false')
export const record: Rule<Readonly<Record<string, unknown>>> = v.custom(isPlainObject, 'must be an object')
export const status: Rule<ItemStatus> = v.picklist(itemStatuses, 'is no status')

const outputPart = v.variant(
  'type',
  [
    v.object({ type: v.literal('text'), text: anyText }),
    v.object({
      type: v.literal('image'),
      mediaType: anyText,
      data: v.exactOptional(anyText),
      url: v.exactOptional(anyText),
    }),
    v.object({ type: v.literal('file'), path: anyText, mediaType: v.exactOptional(anyText) }),
  ],
  'must be "text", "image" or "file"',
)

const outputObject = v.variant(
  'type',
  [
    v.object({ type: v.literal('text'), text: anyText }),
    v.object({ type: v.literal('structured'), data: v.unknown() }),
    v.object({ type: v.literal('multimodal'), parts: v.array(outputPart, 'must be a list of parts') }),
  ],
  'must be a text or an output with the type "text", "structured" or "multimodal"',
)

/** An output: a text, or an object as core has it. Gives the frozen output. */
export const output: v.GenericSchema<unknown, AgentOutput> = v.pipe(
  v.lazy((value) => (typeof value === 'string' ? anyText : outputObject)),
  v.transform((value) => {
    return typeof value === 'string' ? textOutput(value) : (frozenJson(value, ['output']) as AgentOutput)
  }),
)

/** Whether a value has the form of an output that is no plain text. */
export function isOutputObject(value: unknown): boolean {
  return v.is(outputObject, value)
}
