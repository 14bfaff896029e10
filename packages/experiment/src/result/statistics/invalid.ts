import { JuristError } from '@jurist/core'

/** Refuses an impossible input of a statistic: throws `statistic-invalid`. */
export function statisticInvalid(statistic: string, problem: string): never {
  throw new JuristError('statistic-invalid', `${statistic}: ${problem}.`, { statistic })
}

/** Refuses a number of things that is not a whole number of at least 0. */
export function checkCounts(statistic: string, counts: { readonly [name: string]: number }): void {
  for (const [name, count] of Object.entries(counts))
    if (!Number.isSafeInteger(count) || count < 0)
      statisticInvalid(statistic, `${name} must be a whole number of at least 0, not ${count}`)
}

/** Refuses values among which one is not a finite number. */
export function checkValues(statistic: string, values: readonly number[]): void {
  const bad = values.findIndex((value) => !Number.isFinite(value))
  if (bad >= 0) statisticInvalid(statistic, `value ${bad} must be a finite number, not ${values[bad]}`)
}

/** Refuses a level, or another rate called `name`, that is not strictly between 0 and 1. */
export function checkLevel(statistic: string, level: number, name = 'level'): void {
  if (!(level > 0 && level < 1)) statisticInvalid(statistic, `${name} must lie between 0 and 1, not ${level}`)
}
