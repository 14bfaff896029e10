import { explain } from '@jurist/core'
import type { ItemResult } from '../result/records.js'
import { outcomeOf } from '../result/trial-outcome.js'
import { reasonOf } from '../result/trial-reason.js'
import { plainBlock, plainLine } from './escape/terminal.js'
import type { Paint } from './paint.js'

/** A trial for a terminal, down to its failed checks. */
export function trialDetails(item: ItemResult, paint: Paint): string {
  const { itemId, repetition, failure, verdict, passed } = item
  const style = passed === true ? paint.green : passed === false ? paint.red : paint.yellow
  return [
    `${style(outcomeOf(item))}  ${paint.bold(plainLine(`${itemId} [${repetition}]`))}`,
    ...(passed === true ? [] : [indented(reasonOf(item))]),
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
