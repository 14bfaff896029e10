import { counted } from '@jurist/experiment/internal/results'
import { safeLine, textTable } from '@jurist/kit/terminal'
import type { PrunePlan, SessionName, SizedRun } from '../prune/plan.js'
import { bytesText, none, runCells, runColumns } from '../terminal/cells.js'
import type { Host } from './host.js'

/** What happened to a run of a plan. */
export interface Removal {
  readonly id: string
  readonly bytes: number | null
  /** `gone`: somebody else removed it. `locked`: it is being written by now, and stays. */
  readonly outcome: 'removed' | 'gone' | 'locked'
}

/** `, 1.2 GB` where the store says what runs take. */
export function bytesOf(runs: readonly Pick<SizedRun, 'bytes'>[]): string {
  const known = runs.flatMap(({ bytes }) => bytes ?? [])
  return known.length === 0 ? '' : `, ${bytesText(known.reduce((sum, bytes) => sum + bytes, 0))}`
}

/** What would go, what stays although it is old, and why. */
export function planReport(host: Host, plan: PrunePlan, maxBytes: number | undefined): string {
  const { going, needed, totalBytes } = plan
  const lines = [
    going.length === 0 ? 'No run would be removed.' : table(host, going),
    ...going.flatMap(({ run, reasons = [] }) => (reasons.length === 0 ? [] : [needLine(run.id, reasons)])),
    ...(going.length === 0 ? [] : ['', `${counted(going.length, 'run')}${bytesOf(going)}`]),
    ...(needed.length === 0 ? [] : ['', `Needed, so ${needed.length === 1 ? 'it stays' : 'they stay'}:`]),
    ...needed.slice(0, mostNeeded).map(({ run, reasons }) => needLine(run.id, reasons)),
    ...(needed.length > mostNeeded ? [`  and ${needed.length - mostNeeded} more: --json lists all`] : []),
    ...sizeLines(plan, totalBytes, maxBytes),
  ]
  return `${lines.join('\n')}\n`
}

const mostNeeded = 20

function needLine(id: string, reasons: readonly string[]): string {
  return `  ${id}  needed: ${reasons.map(safeLine).join('; ')}`
}

function sizeLines({ going }: PrunePlan, totalBytes: number | null, maxBytes: number | undefined): readonly string[] {
  if (totalBytes === null || maxBytes === undefined) return []
  const left = going.reduce((sum, { bytes }) => sum - (bytes ?? 0), totalBytes)
  const then = going.length === 0 ? '' : `, ${bytesText(left)} afterwards`
  const missed = left > maxBytes ? ` That is more than --max-size: no other run can be removed.` : ''
  return ['', `All runs use ${bytesText(totalBytes)}${then}.${missed}`]
}

function table({ terminal }: Host, going: readonly SizedRun[]): string {
  const columns = [...runColumns, { title: 'SIZE', align: 'right' as const }]
  const rows = going.map(({ run, bytes }) => [...runCells(run), bytes === null ? none(terminal) : bytesText(bytes)])
  return textTable(columns, rows, { width: terminal.columns })
}

/** What was removed, and what was not. */
export function removalReport(removals: readonly Removal[], sessions: readonly SessionName[]): string {
  if (removals.length + sessions.length === 0) return ''
  const removed = removals.filter(({ outcome }) => outcome === 'removed')
  const others = removals.flatMap(({ id, outcome }) => {
    if (outcome === 'removed') return []
    return [outcome === 'gone' ? `${id} was already removed.` : `${id} is being written and was kept.`]
  })
  const emptied = sessions.length === 0 ? '' : `, and ${counted(sessions.length, 'session')} without runs`
  return `${[...others, `Removed ${counted(removed.length, 'run')}${bytesOf(removed)}${emptied}.`].join('\n')}\n`
}
