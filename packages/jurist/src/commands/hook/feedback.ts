import { flatten, type Judgment, type Verdict } from '@jurist/core'
import { safeLine } from '@jurist/kit/terminal'

/**
 * The part of a verdict that an agent may read: the names of failures with their places, also the reasons, or nothing.
 */
export const reveals = ['names', 'reasons', 'nothing'] as const

export type Reveal = (typeof reveals)[number]

/** The maximum number of characters of the feedback. */
const maxFeedback = 2_000
const maxReason = 300
const maxChecks = 20

/**
 * Formats the feedback for an agent that must continue: the judges that failed, and their failed checks with places.
 */
export function feedback(name: string, verdict: Verdict, reveal: Reveal): string {
  const heading = `The jury "${name}" does not pass yet.`
  if (reveal === 'nothing') return heading
  const failed = flatten(verdict).filter(({ kind, judgment }) => kind === 'judge' && judgment.status === 'fail')
  const lines = failed.flatMap(({ path, judgment }) => judgmentLines(path.slice(1), judgment, reveal))
  return shortened([heading, ...lines])
}

function judgmentLines(path: string, { reasoning, checks }: Judgment, reveal: Reveal): readonly string[] {
  const failed = checks.filter(({ passed }) => !passed)
  const why = reveal === 'reasons' ? `: ${cut(reasoning)}` : ''
  const shown = failed.slice(0, maxChecks).map(({ name, message, location }) => {
    const line = location?.line === undefined ? '' : `:${location.line}`
    const place = location === undefined ? '' : ` (${cut(location.path)}${line})`
    return `  - ${cut(name)}${reveal === 'reasons' && message !== '' ? `: ${cut(message)}` : ''}${place}`
  })
  const more = failed.length > maxChecks ? [`  - and ${failed.length - maxChecks} more`] : []
  return [`✗ ${path}${why}`, ...shown, ...more]
}

/** Truncates to one line without control characters. */
function cut(text: string): string {
  const line = safeLine(text)
  return line.length > maxReason ? `${line.slice(0, maxReason - 1)}…` : line
}

/** Keeps as many whole lines as fit. */
function shortened(lines: readonly string[]): string {
  const end = '…'
  let text = ''
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`
    if (longer.length > maxFeedback - end.length - 1) return `${text}\n${end}`
    text = longer
  }
  return text
}
