import { pointerSegment } from './json.js'
import type { Judgment } from './judgment.js'
import type { Verdict } from './verdict.js'

/** One judgment of a verdict, with its place in the tree. */
export interface VerdictRow {
  /** The names from the whole to the part, as an RFC 6901 pointer; `''` is the whole. */
  readonly path: string
  readonly name: string
  readonly kind: 'verdict' | 'judge'
  readonly judgment: Judgment
  readonly weight?: number
}

/**
 * Lists every judgment of a verdict, from the whole to its parts, in order. In a cascade the parts are the tiers that
 * ran.
 *
 * @example
 * import { flatten, jury, outputText } from '@jurist/core'
 *
 * const rules = jury({ judges: { greeting: outputText({ contains: 'Hello' }) } })
 * const rows = flatten(await rules.vote({ agentOutput: 'Goodbye' }))
 * console.log(rows.filter(({ judgment }) => judgment.status === 'fail').map(({ path }) => path)) // ['', '/greeting']
 */
export function flatten(verdict: Verdict): readonly VerdictRow[] {
  const rows: VerdictRow[] = []
  addRows(rows, verdict, { path: '', name: '' })
  return rows
}

type Place = Pick<VerdictRow, 'path' | 'name'> & { readonly weight?: number | undefined }

function addRows(rows: VerdictRow[], verdict: Verdict, at: Place): void {
  const { individual, weights, subVerdicts, tiers, aggregated } = verdict
  rows.push(rowOf('verdict', at, aggregated))
  for (const name of Object.keys(tiers === undefined ? individual : subVerdicts)) {
    const weight = tiers === undefined ? weights[name] : undefined
    const place = { path: `${at.path}/${pointerSegment(name)}`, name, weight }
    const inner = Object.hasOwn(subVerdicts, name) ? subVerdicts[name] : undefined
    const judgment = individual[name]
    if (inner !== undefined) addRows(rows, inner, place)
    else if (judgment !== undefined) rows.push(rowOf('judge', place, judgment))
  }
}

function rowOf(kind: VerdictRow['kind'], { path, name, weight }: Place, judgment: Judgment): VerdictRow {
  return weight === undefined ? { path, name, kind, judgment } : { path, name, kind, judgment, weight }
}

/**
 * Describes a judgment or a verdict in plain text: the decision, which judges did not pass and why, and the failed
 * checks of each, with their locations.
 *
 * @example
 * import { explain, jury, outputText } from '@jurist/core'
 *
 * const rules = jury({ judges: { greeting: outputText({ contains: 'Hello' }) } })
 * console.log(explain(await rules.vote({ agentOutput: 'Goodbye' })))
 */
export function explain(result: Judgment | Verdict): string {
  const whole = 'aggregated' in result ? result.aggregated : result
  const rows = 'aggregated' in result ? flatten(result) : []
  const others = rows.filter(({ kind, judgment }) => kind === 'judge' && judgment.status !== 'pass')
  return [
    ...judgmentLines(whole, '', ''),
    ...others.flatMap(({ path, judgment }) => judgmentLines(judgment, '  ', `${path.slice(1)} `)),
  ].join('\n')
}

function judgmentLines(judgment: Judgment, indent: string, subject: string): readonly string[] {
  const failed = judgment.checks.filter(({ passed }) => !passed)
  return [
    indented(`${subject}${judgment.status}: ${judgment.reasoning}`, indent),
    ...failed.map(({ name, message, location }) => {
      const place =
        location === undefined ? '' : ` (${location.path}${location.line === undefined ? '' : `:${location.line}`})`
      return indented(`${name}: ${message}${place}`, `${indent}  `)
    }),
  ]
}

/** Leaves out control characters, which could change a terminal. */
function indented(text: string, indent: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  return lines.map((line) => `${indent}${line.replace(/[\u0000-\u001f\u007f-\u009f]/g, '')}`).join('\n')
}
