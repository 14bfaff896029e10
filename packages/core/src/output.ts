import { frozenJson, isPlainObject, type Json } from './json.js'
import { option, optionInvalid } from './options.js'

/** One part of an answer: text, an image or a file. */
export type OutputPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data?: string; readonly url?: string }
  | { readonly type: 'file'; readonly path: string; readonly mediaType?: string }
/** The answer of an agent. */
export type AgentOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'structured'; readonly data: Json }
  | { readonly type: 'multimodal'; readonly parts: readonly OutputPart[] }

/**
 * Creates an output from a string.
 *
 * @example
 * import { textOutput } from '@jurist/core'
 *
 * textOutput('Paris') // { type: 'text', text: 'Paris' }
 */
export function textOutput(text: string): AgentOutput {
  if (typeof text !== 'string') return optionInvalid('text', 'textOutput: the text must be a string.')
  return Object.freeze({ type: 'text', text })
}

/**
 * Creates an output from data, which is copied and frozen.
 *
 * @throws `metadata-invalid` when `data` is not JSON
 *
 * @example
 * import { structuredOutput } from '@jurist/core'
 *
 * structuredOutput({ city: 'Paris' }) // { type: 'structured', data: { city: 'Paris' } }
 */
export function structuredOutput(data: unknown): AgentOutput {
  return Object.freeze({ type: 'structured', data: frozenJson(data, ['data']) })
}

/**
 * Creates one output from several parts.
 *
 * @example
 * import { multimodalOutput } from '@jurist/core'
 *
 * multimodalOutput([{ type: 'text', text: 'The plan:' }, { type: 'file', path: 'plan.pdf' }])
 */
export function multimodalOutput(parts: readonly OutputPart[]): AgentOutput {
  return Object.freeze({ type: 'multimodal', parts: Object.freeze(parts.map((part) => Object.freeze({ ...part }))) })
}

const outputType = /* @__PURE__ */ option.oneOf('text', 'structured', 'multimodal')

/** Looks only at the type. */
export function isOutput(value: unknown): value is AgentOutput {
  return isPlainObject(value) && outputType.holds(value['type'])
}

/**
 * Returns an output as a string: text unchanged, data as JSON indented by two spaces, parts joined by newlines with
 * `[image …]` and `[file …]` for parts that are not text; `''` without an output.
 *
 * @example
 * import { asText, structuredOutput } from '@jurist/core'
 *
 * asText(structuredOutput(['Paris'])) // '[\n  "Paris"\n]'
 */
export function asText(output: AgentOutput | undefined): string {
  switch (output?.type) {
    case undefined:
      return ''
    case 'text':
      return output.text
    case 'structured':
      return JSON.stringify(output.data, null, 2)
    case 'multimodal':
      return output.parts.map(partText).join('\n')
    default:
      return output satisfies never
  }
}

function partText(part: OutputPart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
      return `[image ${part.mediaType}]`
    case 'file':
      return `[file ${part.path}]`
    default:
      return part satisfies never
  }
}
