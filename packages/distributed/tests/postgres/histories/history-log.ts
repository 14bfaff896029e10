import type { ItemResult } from '@jurist/experiment/result'
import type { LeasedTrial } from '@jurist/experiment/store-kit'

interface Stored {
  readonly trial: string
  readonly lease: string
  readonly began: number
  readonly outcome: 'stored' | 'lost'
}

/** What happened in a history, in an order, and what must never happen. */
export interface HistoryLog {
  readonly leased: (trials: readonly LeasedTrial[]) => void
  /** Notes that a result is about to be stored. Returns what notes how that went. */
  readonly storing: (trial: LeasedTrial) => (outcome: Stored['outcome']) => void
  /** Leases that were taken over by another one. */
  readonly taken: () => number
  /** Results that came after another worker had the trial. */
  readonly late: () => number
  /** What is wrong with the stored results, which name their lease. */
  readonly violations: (trials: readonly string[], items: readonly ItemResult[]) => readonly string[]
}

/** Identifies a trial. */
export function nameOf({ itemId, repetition }: Pick<ItemResult, 'itemId' | 'repetition'>): string {
  return `${itemId} ${repetition}`
}

/** Which of two leases of one job is the later one. A process that was stopped may say late that it has one. */
function order(one: string, other: string): number | undefined {
  const [job, attempt] = one.split('.')
  const [otherJob, otherAttempt] = other.split('.')
  return job === otherJob ? Number(attempt) - Number(otherAttempt) : undefined
}

/** An empty log. */
export function historyLog(): HistoryLog {
  const issued = new Map<string, { readonly lease: string; readonly at: number }[]>()
  const stored: Stored[] = []
  let now = 0
  const tick = () => {
    now += 1
    return now
  }
  const newer = ({ trial, lease, began }: Stored) => {
    const leases = issued.get(trial) ?? []
    const own = leases.findIndex((one) => one.lease === lease)
    return leases.some((one, index) => one.at < began && (order(one.lease, lease) ?? index - own) > 0)
  }

  return {
    leased(trials) {
      for (const trial of trials) {
        const leases = issued.get(nameOf(trial)) ?? []
        issued.set(nameOf(trial), [...leases, { lease: trial.lease, at: tick() }])
      }
    },
    storing(trial) {
      const began = tick()
      return (outcome) => {
        stored.push({ trial: nameOf(trial), lease: trial.lease, began, outcome })
      }
    },
    taken: () => [...issued.values()].reduce((sum, leases) => sum + leases.length - 1, 0),
    late: () => stored.filter(({ outcome }) => outcome === 'lost').length,
    violations(trials, items) {
      const found = new Map(items.map((item) => [nameOf(item), item]))
      const wrong = trials.flatMap((trial) => {
        const leases = new Set(
          stored.flatMap((one) => (one.trial === trial && one.outcome === 'stored' ? one.lease : [])),
        )
        const lost = new Set(stored.flatMap((one) => (one.trial === trial && one.outcome === 'lost' ? one.lease : [])))
        const record = found.get(trial)?.metadata['lease']
        return [
          ...(found.has(trial) ? [] : [`${trial} is not stored`]),
          ...(leases.size > 1 ? [`${trial} was stored under ${leases.size} leases`] : []),
          ...(leases.size === 1 && !leases.has(String(record)) ? [`${trial} was stored, and then replaced`] : []),
          ...(lost.has(String(record)) ? [`${trial} is stored under a lease that was said to be lost`] : []),
        ]
      })
      const stale = stored.filter((one) => one.outcome === 'stored' && newer(one))
      return [
        ...wrong,
        ...(items.length > trials.length ? [`${items.length} results of ${trials.length} trials`] : []),
        ...stale.map(({ trial }) => `${trial} was stored under a lease that another worker had taken over`),
      ]
    },
  }
}
