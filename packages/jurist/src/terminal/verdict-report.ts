import { flatten, type Verdict, type VerdictRow } from '@jurist/core'
import { duration, judgmentScore } from './amounts.js'
import { markOf } from './outcome.js'
import { safeBlock, safeLine } from './safe-text.js'
import type { Terminal } from './terminal.js'

/** A verdict down to each check. */
export function verdictReport(verdict: Verdict, terminal: Terminal): string {
  const { status, reasoning } = verdict.aggregated
  const heading = `${terminal.paint.bold(status.toUpperCase())}   ${safeLine(reasoning)}   ${duration(verdict.elapsedMs)}`
  return [heading, ...verdictLines(verdict, terminal), ''].join('\n')
}

/** The judgments of a verdict with their checks; only those at `judge` or below it, when it is given. */
export function verdictLines(verdict: Verdict, terminal: Terminal, judge?: string | undefined): readonly string[] {
  const under = judge === undefined ? '' : `/${judge.replace(/^\//, '')}`
  const shown = flatten(verdict).filter(({ path }) => under === '' || path === under || path.startsWith(`${under}/`))
  const notReached = verdict.tiers?.filter(({ outcome }) => outcome === 'not-reached') ?? []
  const missed = judge === undefined ? notReached.map(({ name }) => `    - ${safeLine(name)}: not reached`) : []
  return ['', '  Verdict', ...shown.flatMap((row) => rowLines(row, terminal)), ...missed]
}

const rowMarks = { pass: 'pass', fail: 'fail', abstain: 'not-run', error: 'undecided' } as const

function rowLines({ path, judgment, weight }: VerdictRow, { unicode }: Terminal): readonly string[] {
  const indent = '  '.repeat(path.split('/').length + 1)
  const name = path === '' ? 'all' : safeLine(path.slice(1))
  const scored =
    'score' in judgment && judgment.score.type === 'numerical'
      ? ` ${judgmentScore(judgment.score.value, judgment)}`
      : ''
  const weighed = weight === undefined || weight === 1 ? '' : ` (weight ${weight})`
  const mark = markOf(rowMarks[judgment.status], unicode)
  return [
    `${indent}${mark} ${name}: ${judgment.status}${scored}${weighed}   ${indented(judgment.reasoning, indent)}`,
    ...judgment.checks.map(({ name: check, passed, message, location }) => {
      const line = location?.line === undefined ? '' : `:${location.line}`
      const place = location === undefined ? '' : `  ${safeLine(location.path)}${line}`
      const said = message === '' ? '' : `: ${indented(message, `${indent}    `)}`
      return `${indent}    ${markOf(passed ? 'pass' : 'fail', unicode)} ${safeLine(check)}${said}${place}`
    }),
  ]
}

/** A text of several lines, the later ones indented. */
export function indented(text: string, indent: string): string {
  return safeBlock(text).trimEnd().replaceAll('\n', `\n${indent}    `)
}
