import { totalCost } from '@jurist/core/internal'
import { counted, grouped, namedInterval } from './amounts.js'
import { sumUsage } from './spending.js'
import { wilsonInterval } from './statistics/rate-intervals.js'
import type { Interval, Summary, UserFaults } from './summary.js'
import type { SummarizedTrial } from './trial-figures.js'
import { isUserAtFault } from './trial-outcome.js'

/** The figures of the simulated users of a run. */
export function userFigures(
  trials: readonly SummarizedTrial[],
): Pick<Summary, 'userFaults' | 'userUsage' | 'userCostUsd'> {
  const users = trials.flatMap(({ user }) => (user === undefined ? [] : [user]))
  return {
    userFaults: userFaultsOf(trials),
    userUsage: sumUsage(users.map(({ usage }) => usage)),
    userCostUsd: totalCost(users.map(({ costUsd }) => costUsd)) ?? null,
  }
}

function userFaultsOf(trials: readonly SummarizedTrial[]): UserFaults | null {
  const users = trials.flatMap(({ user }) => (user === undefined ? [] : [user]))
  if (users.length === 0) return null
  const byName = new Map<string, number>()
  for (const { faults } of users)
    for (const name of new Set(faults.map((fault) => fault.name))) byName.set(name, (byName.get(name) ?? 0) + 1)
  const atFault = users.filter(isUserAtFault).length
  return {
    trials: users.length,
    atFault,
    interval: wilsonInterval(atFault, users.length) as Interval,
    byName: Object.fromEntries([...byName].sort(([a], [b]) => (a < b ? -1 : 1))),
    unaudited: users.filter(({ audited }) => !audited).length,
  }
}

/** How often simulated users were at fault, with the faults by name; `''` without a simulated user. */
export function userFaultsText(found: UserFaults | null): string {
  if (found === null) return ''
  const { trials, atFault, interval, byName, unaudited } = found
  const names = Object.entries(byName).map(([name, count]) => `${name} ${grouped(count)}`)
  const share = `${grouped(atFault)} of ${counted(trials, 'conversation')}`
  const which = names.length === 0 ? '' : `: ${names.join(', ')}`
  return `${share} (${namedInterval(interval)})${which}${unaudited === 0 ? '' : `; ${grouped(unaudited)} not audited`}`
}
