import type { AgentOutput, OutputPart } from '@jurist/core'
import { multimodalOutput, textOutput } from '@jurist/core'
import { toJson } from './to-json.js'

/** A text as an output; no output for an empty text and for none. */
export function textOutcome(text: string | undefined): AgentOutput | undefined {
  return text === undefined || text === '' ? undefined : textOutput(text)
}

/** Data that a framework read for the caller, as an output: no text of it is shortened. */
export function dataOutcome(data: unknown): AgentOutput {
  return Object.freeze({ type: 'structured', data: toJson(data, { maxText: Number.POSITIVE_INFINITY }) })
}

/** Parts as an output: texts alone are one text, none is no output. */
export function partsOutcome(parts: readonly OutputPart[]): AgentOutput | undefined {
  const filled = parts.filter((part) => part.type !== 'text' || part.text !== '')
  if (filled.every((part) => part.type === 'text')) return textOutcome(filled.map(({ text }) => text).join(''))
  return multimodalOutput(filled)
}
