import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../bench/programs/null-comparisons.mjs', import.meta.url))

interface Alarms {
  readonly conclusion: number
  readonly score: number
  readonly significant: number
  readonly regression: number
  readonly flips: number
  readonly byChance: number
}

interface Simulated {
  readonly few: readonly Alarms[]
  readonly some: Alarms
  readonly session: { readonly together: number; readonly apart: number }
  readonly found: { readonly conclusion: number; readonly sign: number }
}

// Seeded: the figures are the same each time. bench/null-comparisons.mjs has every size, and enough simulations.
test('an agent beside itself turns no gate red but by the level, says how many flips are chance, and is found when better', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const { few, some, session, found } = JSON.parse(stdout) as Simulated
  expect(few).toHaveLength(4)
  for (const { conclusion, score, significant, flips, byChance } of few) {
    expect(Math.max(conclusion, significant)).toBeLessThanOrEqual(0.05)
    expect(score).toBeLessThanOrEqual(0.09)
    expect(byChance / flips).toBeGreaterThan(0.9)
    expect(byChance / flips).toBeLessThan(1.1)
  }
  expect(Math.max(some.conclusion, some.significant)).toBeLessThanOrEqual(0.05)
  expect(some.regression).toBeGreaterThan(0.9)
  expect(session.together).toBeLessThanOrEqual(0.05)
  expect(session.together).toBeLessThan(session.apart)
  expect(found.conclusion).toBeGreaterThan(found.sign)
})
