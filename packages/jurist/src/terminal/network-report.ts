import { grouped, type RunNetwork, runNetwork } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { safeLine, textTable } from '@jurist/kit/terminal'
import type { Terminal } from './terminal.js'

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
