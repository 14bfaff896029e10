import type { Check } from '@jurist/core'

export interface CheckGroup {
  /** Trimmed. May be empty. */
  readonly message: string
  readonly checks: readonly Check[]
}

/** The checks of a judgment: the failed ones by reason, in the order of the first of each, and those that passed. */
export interface GroupedChecks {
  readonly failed: readonly CheckGroup[]
  readonly passed: readonly Check[]
}

/** Groups the failed checks of a judgment that give the same reason. Checks without a reason stay separate. */
export function groupedChecks(checks: readonly Check[]): GroupedChecks {
  const groups = new Map<string, { message: string; checks: Check[] }>()
  for (const [index, check] of checks.entries()) {
    if (check.passed) continue
    const message = check.message.trim()
    const key = message === '' ? `${index}` : ` ${message}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { message, checks: [check] })
    else group.checks.push(check)
  }
  return { failed: [...groups.values()], passed: checks.filter(({ passed }) => passed) }
}
