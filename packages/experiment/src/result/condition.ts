import type { Json } from '@jurist/core'

/** One measurement condition that two runs do not share. `undeclared`: only one of them states it. */
export interface ConditionDifference {
  readonly condition: string
  readonly baseline: Json
  readonly candidate: Json
  readonly reason: 'differs' | 'undeclared'
  /** Whether the caller said that this condition may differ. */
  readonly allowed: boolean
}
