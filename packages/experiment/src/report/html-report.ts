import { asText, type Check, flatten, type Judgment, type VerdictRow } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import type { Column } from '@jurist/kit/terminal'
import type { Comparison } from '../compare/comparison.js'
import { dollars, duration } from '../result/amounts.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { outcomeOf, reasonOf } from '../result/trial-outcome.js'
import { figureSections, itemSection, judgeKeys, runName } from './content/run.js'
import { markup, shortened } from './escape.js'
import { growthSteps, variantSection } from './markdown-report.js'
import type { Section } from './render/section.js'

/** How `htmlReport` reports. */
export interface HtmlReportOptions {
  /** Comparisons of each later result with the one before it; one that is missing is made. */
  readonly comparisons?: readonly Comparison[]
  /** Whether the answers of agents are shown. Default `false`: they may hold what is not for everybody. */
  readonly includeOutputs?: boolean
}

/**
 * Results as one page that can be sent to anybody: no script, nothing loaded from anywhere. Figures, items, for each trial
 * the tree of its verdict with every check; of several results the growth story as well.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { htmlReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * await writeFile('report.html', htmlReport([aResult()]))
 */
export function htmlReport(
  results: readonly [ExperimentResult, ...ExperimentResult[]],
  options?: HtmlReportOptions,
): string {
  const { comparisons = [], includeOutputs = false } = checkOptions('htmlReport', options, {
    comparisons: { wants: 'a list of comparisons', holds: Array.isArray },
    includeOutputs: option.boolean,
  })
  const [first] = results
  const title = results.length === 1 ? runName(first) : `${first.experimentName}: how it grew`
  const story = results.length === 1 ? [] : [growth(results, comparisons)]
  const runs = results.map((result) => run(result, includeOutputs, results.length > 1))
  return htmlPage(title, [`<h1>${markup(title)}</h1>`, ...story, ...runs].join('\n'))
}

function growth(results: readonly ExperimentResult[], comparisons: readonly Comparison[]): string {
  const steps = growthSteps(results, comparisons).map(({ title, sections }) =>
    [`<h2>${markup(title)}</h2>`, htmlSections(sections, 3)].join('\n'),
  )
  return [htmlSections([variantSection(results)], 2), ...steps].join('\n')
}

function run(result: ExperimentResult, includeOutputs: boolean, isOneOfSeveral: boolean): string {
  const { id, dataset, startedAt, status, lineage } = result
  const keys = judgeKeys(Object.keys(result.scores))
  const again = lineage === null ? '' : ` Judged again from ${lineage.rejudgedFrom}; no agent was called.`
  const facts = `Run ${id} over ${dataset.name} ${dataset.version}, ${startedAt}, ${status}.${again}`
  return [
    ...(isOneOfSeveral ? [`<h2>${markup(`Run: ${runName(result)}`)}</h2>`] : []),
    `<p>${markup(facts)}</p>`,
    htmlSections([...figureSections(result), ...itemSection(result, keys)], isOneOfSeveral ? 3 : 2),
    `<h${isOneOfSeveral ? 3 : 2}>Trials</h${isOneOfSeveral ? 3 : 2}>`,
    ...result.items.map((item) => htmlTrial(item, includeOutputs)),
  ].join('\n')
}

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.25rem; margin-top: 2rem } h3, h4 { font-size: 1rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; padding: .3rem .7rem }
summary { cursor: pointer; overflow-wrap: anywhere }
ul.verdict { padding-left: 1.2rem } ul.verdict p { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap }
.status { font-weight: 600 }
.pass { color: light-dark(#0a6b2b, #5fd38a) } .fail, .error { color: light-dark(#b3171f, #ff8a8a) }
.abstain, .undecided { color: light-dark(#7a5300, #e6b95c) }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: .5rem }
`

/** A whole page, well-formed as XML too: no script, no request to anywhere, which its policy also says to the browser. */
function htmlPage(title: string, body: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8" />',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'" />',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    '<meta name="referrer" content="no-referrer" />',
    `<title>${markup(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    body,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const longestText = 20_000

/** A trial that unfolds: its task, failure, the tree of its verdict with every check, and its output if wanted. */
function htmlTrial(item: ItemResult, includeOutputs: boolean): string {
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

/** Sections as HTML, their titles as headings of a level. */
function htmlSections(sections: readonly Section[], level: number): string {
  return sections
    .map(({ title, lines = [], table }) =>
      [
        '<section>',
        `<h${level}>${markup(title)}</h${level}>`,
        ...(lines.length === 0 ? [] : [`<ul>${lines.map((line) => `<li>${markup(line)}</li>`).join('')}</ul>`]),
        ...(table === undefined ? [] : [htmlTable(table.columns, table.rows)]),
        '</section>',
      ].join('\n'),
    )
    .join('\n')
}

/** A table as HTML that can be scrolled where it is too wide. */
function htmlTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const align = (at: number) => (columns[at]?.align === 'right' ? ' class="number"' : '')
  const head = columns.map(({ title }, at) => `<th scope="col"${align(at)}>${markup(title)}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell, at) => `<td${align(at)}>${markup(cell)}</td>`).join('')}</tr>`)
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`
  return `<div class="wide" tabindex="0">${table}</div>`
}
