import { JuristError, type Problems } from '@jurist/core'

/** How a command ends: see the table of exit codes in `jurist --help`. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

/** Codes that say that the tool or its disk broke; every other code is a mistake in what was asked for. */
const broken: ReadonlySet<keyof Problems> = new Set<keyof Problems>([
  'store-failed',
  'statistic-invalid',
  'verdict-invalid',
])

/** How a command ends that threw. */
export function exitCodeOf(thrown: unknown): ExitCode {
  if (!JuristError.is(thrown)) return 3
  if (JuristError.is(thrown, 'aborted')) return 130
  return broken.has(thrown.code) ? 3 : 2
}
