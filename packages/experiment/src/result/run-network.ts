import { type RunResult, resultWithItems, trialText } from './trial-figures.js'

/** How often the commands of a run asked for a host. */
interface HostCount {
  readonly host: string
  readonly allowed: number
  readonly refused: number
}

/** The network requests of the commands of a run. */
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
    refusedIn: items.filter(({ network }) => Object.keys(network?.refused ?? {}).length > 0).map(trialText),
    trials: items.length,
  }
}
