import { grouped, resultWithItems } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { safeLine, textTable } from '@jurist/kit/terminal'
import type { Terminal } from './terminal.js'

/** How often the commands of a run asked for a host. */
interface HostCount {
  readonly host: string
  readonly allowed: number
  readonly refused: number
}

/** What the commands of a run asked of the network. */
export interface RunNetwork {
  /** The allow-list of the run. */
  readonly hosts: readonly string[]
  /** Those that were asked for, the most refused first. */
  readonly asked: readonly HostCount[]
  /** The trials with refused attempts, as `item#repetition`. */
  readonly refusedIn: readonly string[]
  /** How many trials the counts are from. */
  readonly trials: number
}

/** Reads what the commands of a run asked of the network; `undefined` for a run without an allow-list. */
export async function runNetwork(run: RunResult): Promise<RunNetwork | undefined> {
  const hosts = run.conditions['network']
  if (!Array.isArray(hosts)) return undefined
  const { items } = await resultWithItems(run)
  const counts = new Map<string, { allowed: number; refused: number }>()
  for (const { network } of items)
    for (const outcome of ['allowed', 'refused'] as const)
      for (const [host, count] of Object.entries(network?.[outcome] ?? {})) {
        const known = counts.get(host) ?? { allowed: 0, refused: 0 }
        known[outcome] += count
        counts.set(host, known)
      }
  const asked = [...counts].map(([host, count]) => ({ host, ...count }))
  return {
    hosts: hosts.map(String),
    asked: asked.sort((a, b) => b.refused - a.refused || b.allowed - a.allowed || a.host.localeCompare(b.host)),
    refusedIn: items
      .filter(({ network }) => Object.keys(network?.refused ?? {}).length > 0)
      .map(({ itemId, repetition }) => `${itemId}#${repetition}`),
    trials: items.length,
  }
}

const mostHosts = 5

/** Formats the hosts that a run asked for in one line, with the way to all of them; nothing without an allow-list. */
export async function networkLines(run: RunResult, { command, style }: Terminal): Promise<readonly string[]> {
  const network = await runNetwork(run)
  if (network === undefined) return []
  const { asked } = network
  const parts = (['allowed', 'refused'] as const).flatMap((outcome) => {
    const some = asked.filter((one) => one[outcome] > 0).sort((a, b) => b[outcome] - a[outcome])
    if (some.length === 0) return []
    const shown = some.slice(0, mostHosts).map((one) => `${safeLine(one.host)} ${grouped(one[outcome])}`)
    const more = some.length > mostHosts ? [`${grouped(some.length - mostHosts)} more`] : []
    const text = `${outcome} ${[...shown, ...more].join(' · ')}`
    return [outcome === 'refused' ? style.yellow(text) : text]
  })
  const line = `  Network    ${parts.length === 0 ? 'nothing was asked for' : parts.join('    ')}`
  return [line, ...(parts.length === 0 ? [] : [`             ${command('show', run.id, '--network')}`]), '']
}

const columns = [
  { title: 'HOST', shrinks: true },
  { title: 'ALLOWED', align: 'right' },
  { title: 'REFUSED', align: 'right' },
] as const

/** Formats the allow-list of a run, each host that was asked for, and the trials with refused attempts. */
export function networkReport(
  run: RunResult,
  { hosts, asked, refusedIn, trials }: RunNetwork,
  terminal: Terminal,
): string {
  const { style } = terminal
  const rows = asked.map(({ host, allowed, refused }) => [safeLine(host), grouped(allowed), grouped(refused)])
  return [
    `${style.bold(run.experimentName)}   run ${run.id}`,
    '',
    `  Allowed    ${hosts.length === 0 ? 'no host' : hosts.map(safeLine).join(', ')}`,
    '',
    ...(rows.length === 0
      ? ['  Nothing was asked for.']
      : [textTable(columns, rows, { width: terminal.columns, indent: '  ' })]),
    '',
    `  ${refusedIn.length} of ${trials} trials with refused attempts${refusedIn.length === 0 ? '' : `: ${refusedIn.map(safeLine).join(', ')}`}`,
    '',
  ].join('\n')
}
