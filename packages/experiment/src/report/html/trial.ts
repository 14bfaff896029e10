import { asText, type Check, flatten, type Judgment, type VerdictRow } from '@jurist/core'
import { dollars, duration } from '../../result/amounts.js'
import type { ItemResult } from '../../result/records.js'
import { outcomeOf } from '../../result/trial-outcome.js'
import { reasonOf } from '../../result/trial-reason.js'
import { shortened } from '../escape/markdown.js'
import { markup } from '../escape/markup.js'

const longestText = 20_000

/** A trial that unfolds: its task, failure, the tree of its verdict with every check, and its output if wanted. */
export function htmlTrial(item: ItemResult, includeOutputs: boolean): string {
  const { itemId, repetition, task, failure, verdict, passed, costUsd, durationMs } = item
  const tone = passed === true ? 'pass' : passed === false ? 'fail' : 'undecided'
  const facts = `${duration(durationMs)}${costUsd === null ? '' : `, ${dollars(costUsd)}`}`
  return [
    `<details${passed === true ? '' : ' open=""'}>`,
    `<summary>${status(outcomeOf(item), tone)} ${markup(`${itemId} [${repetition}]`)} <small>${markup(facts)}</small></summary>`,
    `<pre>${markup(shortened(task, longestText))}</pre>`,
    ...(passed === true ? [] : [`<p>${markup(shortened(reasonOf(item), longestText))}</p>`]),
    ...(failure === null ? [] : [`<p>${status(failure.origin, 'error')} ${markup(failure.message)}</p>`]),
    ...(verdict === null ? [] : [tree(flatten(verdict))]),
    ...(includeOutputs ? outputOf(item) : []),
    '</details>',
  ].join('\n')
}

function outputOf({ detail }: ItemResult): readonly string[] {
  if (detail?.kind !== 'agent' || detail.invocation.output === undefined) return []
  const text = shortened(asText(detail.invocation.output), longestText)
  return ['<h4>Output</h4>', `<pre>${markup(text)}</pre>`]
}

/** The rows of a verdict, from the whole to its parts, as lists within lists. */
function tree(rows: readonly VerdictRow[]): string {
  const [first, ...rest] = rows
  if (first === undefined) return ''
  const below = (row: VerdictRow) => depthOf(row) > depthOf(first)
  const end = rest.findIndex((row) => !below(row))
  const inner = end < 0 ? rest : rest.slice(0, end)
  return `<ul class="verdict"><li>${judgment(first)}${branches(inner)}</li></ul>`
}

/** Sibling rows, each with what stands below it. */
function branches(rows: readonly VerdictRow[]): string {
  const starts = rows.flatMap((row, at) => (depthOf(row) === depthOf(rows[0]) ? [at] : []))
  return starts.map((start, index) => tree(rows.slice(start, starts[index + 1]))).join('')
}

function depthOf(row: VerdictRow | undefined): number {
  return row === undefined ? 0 : row.path.split('/').length
}

function judgment({ name, judgment: said }: VerdictRow): string {
  const label = name === '' ? 'verdict' : name
  const reasoning = markup(shortened(said.reasoning, longestText))
  return `<p>${status(said.status, said.status)} <b>${markup(label)}</b> ${reasoning}</p>${checks(said)}`
}

function checks({ checks: all }: Judgment): string {
  return all.length === 0
    ? ''
    : `<ul class="verdict">${all.map((check) => `<li>${checkLine(check)}</li>`).join('')}</ul>`
}

function checkLine({ name, passed, message, location }: Check): string {
  const line = location?.line === undefined ? '' : `:${location.line}`
  const place = location === undefined ? '' : ` <code>${markup(`${location.path}${line}`)}</code>`
  const word = passed ? 'pass' : 'fail'
  return `<p>${status(word, word)} ${markup(name)} ${markup(shortened(message, longestText))}${place}</p>`
}

function status(word: string, tone: string): string {
  return `<span class="status ${tone}">${markup(word)}</span>`
}
