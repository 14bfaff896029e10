import { explain } from '@jurist/core'
import type { ItemResult } from '../result/records.js'
import { plainBlock, plainLine } from './escape/terminal.js'
import type { Paint } from './paint.js'
import { outcomeWord } from './trial-outcome.js'

/** A trial for a terminal, down to its failed checks. */
export function trialDetails(item: ItemResult, paint: Paint): string {
  const { itemId, repetition, failure, verdict, passed } = item
  const style = passed === true ? paint.green : passed === false ? paint.red : paint.yellow
  return [
    `${style(outcomeWord(item))}  ${paint.bold(plainLine(`${itemId} [${repetition}]`))}`,
    ...(failure === null ? [] : [indented(`${failure.origin}: ${failure.message}`)]),
    ...(verdict === null ? [] : [indented(explain(verdict))]),
  ].join('\n')
}

function indented(text: string): string {
  return plainBlock(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}
