import { consensus, fail, judgmentContext, jury, pass } from '@jurist/core'
import { median, row } from './measure.mjs'

/** How many votes a second does a jury of three synchronous judges make, in process? */
export async function votes() {
  const judges = { yes: () => true, pass: () => pass('fine'), fail: () => fail('not so') }
  const three = jury({ judges, vote: consensus() })
  const context = judgmentContext({ goal: 'count' })
  const count = 50_000
  const rates = []
  for (let round = 0; round < 6; round++) {
    const startedAt = performance.now()
    for (let index = 0; index < count; index++) await three.vote(context)
    if (round > 0) rates.push((count / (performance.now() - startedAt)) * 1000)
  }
  const rate = median(rates)
  return [
    row(
      'votes of a jury of three',
      `${Math.round(rate).toLocaleString('en')} a second`,
      'at least 100,000',
      rate >= 1e5,
    ),
  ]
}
