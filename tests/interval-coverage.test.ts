import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../bench/programs/interval-coverage.mjs', import.meta.url))

interface Coverage {
  readonly passRate: readonly number[]
  readonly calibration: readonly Readonly<Record<string, number>>[]
  readonly difference: number
}

// A simulation of 60 is no more precise than ± 6 %. Wilson and kappa as if repetitions were independent cover 72 to 81 %, the
// percentile bootstrap of 10 items 88 to 91 %.
test('an interval of 95 % holds what it is an interval of about as often: repeated, clustered, with a rare class', () => {
  const covered = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as Coverage
  for (const share of covered.passRate) expect([share >= 0.93, share <= 0.97]).toEqual([true, true])
  expect(covered.calibration).toHaveLength(3)
  for (const measures of covered.calibration) {
    expect(Object.keys(measures)).toHaveLength(6)
    for (const [measure, share] of Object.entries(measures))
      expect({ measure, covers: share >= 0.9 }).toEqual({ measure, covers: true })
  }
  expect(covered.difference).toBeGreaterThanOrEqual(0.92)
})
