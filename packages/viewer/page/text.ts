import type { Verdict } from '@jurist/core'
import type { TierOutcome } from '@jurist/core/internal'
import { namedInterval, trialText, unknown } from '@jurist/experiment/internal/results'
import type { Interval } from '@jurist/experiment/result'
import { shellWord } from '@jurist/kit/shell-word'

/** Terminal control sequences: colours and cursor moves, titles and links, single escapes. */
const sequences =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g

/** Removes terminal control sequences, since test runners and coding agents print in colour. */
export function plainText(text: string): string {
  return text.includes('\u001b') || text.includes('\u009b') ? text.replace(sequences, '') : text
}

/** Returns `21 Nov 2026, 09:15` in the reader's time zone. */
export function dateAndTime(iso: string | null): string {
  if (iso === null) return unknown
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  return date.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
}

/** Returns `of 21 Nov 2026, 09:15` for a session named by its start, otherwise its name. */
export function sessionText(session: string): string {
  const [, year, month, day, hours, minutes, seconds] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(session) ?? []
  return year === undefined ? session : `of ${dateAndTime(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)}`
}

export function runName({
  experimentName,
  variant,
}: {
  readonly experimentName: string
  readonly variant: string | null
}): string {
  return variant === null ? experimentName : `${experimentName}, ${variant}`
}

/** Returns `95 %: 21.0 to 100.0 %, Wilson`. */
export function intervalText(interval: Interval | null): string {
  return interval === null ? 'no interval' : namedInterval(interval)
}

/** Explains why a cascade stopped at its last tier; `undefined` for a jury without tiers. */
export function whyStopped({ tiers, aggregated }: Verdict): string | undefined {
  if (tiers === undefined) return undefined
  const last = tiers.findLast(({ outcome }) => outcome !== 'not-reached')
  if (last === undefined) return undefined
  const missed = tiers.filter(({ outcome }) => outcome === 'not-reached').map(({ name }) => name)
  const rest =
    missed.length === 0 ? '' : ` ${missed.length === 1 ? 'The tier' : 'The tiers'} ${missed.join(', ')} did not run.`
  return `${endingOf(last)}: ${aggregated.reasoning}.${rest}`.replace(/\.\.$/, '.').replace('.. ', '. ')
}

function endingOf({ name, outcome }: TierOutcome): string {
  switch (outcome) {
    case 'rejected':
      return `The gate ${name} rejected it`
    case 'accepted':
      return `The gate ${name} accepted it`
    case 'decided':
      return `The last tier, ${name}, decided`
    case 'errored':
      return `The tier ${name} ended in an error`
    case 'escalated':
    case 'not-reached':
      return `The tier ${name} escalated`
    default:
      return outcome satisfies never
  }
}

/** Returns the name of a trial, and what it tried if each repetition tries something else. */
export function withTried(name: string, tried: string | undefined): string {
  return tried === undefined ? name : `${name} ${tried}`
}

export function showCommand(run: string, trial?: { readonly itemId: string; readonly repetition: number }): string {
  return commandLine('show', run, ...(trial === undefined ? [] : [trialText(trial)]))
}

/** The command with which the server was started. A report in one file does not know it. */
let beginning = 'jurist'

let promotes = false

/** Remembers how the server was started, such as `npx jurist -C shop`, and what it may do, if it states that. */
export function noteServer(headers: Headers | undefined): void {
  const encoded = headers?.get('x-jurist-command') ?? null
  if (encoded !== null) beginning = decodeURIComponent(encoded)
  promotes ||= headers?.get('x-jurist-may') === 'promote'
}

/** Whether the server makes items of trials. A server that only reads does not. */
export function mayPromote(): boolean {
  return promotes
}

/** Returns a command line to type where the server was started. */
export function commandLine(...words: readonly string[]): string {
  return [beginning, ...words.map(shellWord)].join(' ')
}
