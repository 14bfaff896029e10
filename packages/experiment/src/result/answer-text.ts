import { type AgentOutput, asText } from '@jurist/core'

/** An output as text, cut to what a cell of a spreadsheet holds; `null` without an output. */
export function answerText(output: AgentOutput | undefined): string | null {
  return output === undefined ? null : asText(output).slice(0, 32_000)
}
