import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../bench/programs/ratchet-nights.mjs', import.meta.url))

interface Nights {
  readonly acceptedAttacks: readonly { readonly rule: string; readonly accepted: readonly number[] }[]
  readonly falseAcceptances: readonly { readonly rule: string; readonly agent: string; readonly share: number }[]
  readonly keptGains: readonly { readonly one: number; readonly two: number }[]
  readonly coverage: { readonly reserve: number; readonly hidden: number }
}

test('simulated nights: false acceptances stay below 5 % by the tree of answers, and by no simpler rule; the reserve tells the gain', () => {
  const { acceptedAttacks, falseAcceptances, keptGains, coverage } = JSON.parse(
    execFileSync(process.execPath, [program], { encoding: 'utf8' }),
  ) as Nights
  const worst = (rule: string) =>
    Math.max(...falseAcceptances.filter((one) => one.rule === rule).map(({ share }) => share))
  expect(worst('tree')).toBeLessThanOrEqual(0.03)
  expect(worst('α/L after acceptances')).toBeGreaterThan(0.07)
  expect(worst('plain 5 %')).toBeGreaterThan(0.4)
  const attacked = (rule: string) => acceptedAttacks.find((one) => one.rule === rule)?.accepted ?? []
  expect(attacked('tree')).toEqual([0, 0, 0])
  expect(Math.max(...attacked('plain 5 %'))).toBeGreaterThan(20)
  // 60 changes of which 20 help, by 20 and 10 points; then 200: with 200 and with 100 hidden items.
  const expected = [
    [1, 1],
    [1, 0.99],
    [0.997, 0.865],
    [0.81, 0.135],
    [0.895, 0.38],
    [0.455, 0.03],
  ]
  for (const [place, { one, two }] of keptGains.entries()) {
    const [first = 0, second = 0] = expected[place] ?? []
    expect([place, Math.abs(one - first) < 0.07, Math.abs(two - second) < 0.07]).toEqual([place, true, true])
  }
  expect(coverage.reserve).toBeGreaterThanOrEqual(0.92)
  expect(coverage.hidden).toBeLessThan(coverage.reserve)
})
