import { recorded } from '@jurist/experiment/calibrate'
import { calibrateCascade } from '@jurist/experiment/certify'
import { median, row } from './measure.mjs'

const names = ['small', 'medium', 'large']

/** Labelled items that three judges have judged already, the later ones better and surer. */
const items = Array.from({ length: 250 }, (_, index) => {
  const label = index % 3 === 0 ? 'fail' : 'pass'
  const other = label === 'pass' ? 'fail' : 'pass'
  const said = names.map((name, tier) => {
    const isWrong = (index * 7 + tier) % (5 + 5 * tier) === 0
    return [
      name,
      { said: isWrong ? other : label, confidence: 0.5 + ((index * 13 + tier * 29) % 50) / 100, costUsd: 0.01 },
    ]
  })
  return { id: `item-${index}`, task: 'Is it right?', metadata: { label, said: Object.fromEntries(said) } }
})
const tiers = names.map((name) => ({ name, candidate: recorded(name) }))

/** How long does it take to certify a cascade of three recorded tiers, in process? */
export async function certificates() {
  const measure = async () => {
    const startedAt = performance.now()
    const { counts } = await calibrateCascade({ name: 'recorded', items, tiers })
    if (counts.items !== 250) throw new Error('not all items were judged')
    return performance.now() - startedAt
  }
  const times = []
  for (let round = 0; round < 9; round += 1) times.push(await measure())
  const figure = `${Math.round(median(times))} ms; the first time ${Math.round(times[0] ?? 0)} ms`
  return [row('certifying 250 items judged by three recorded tiers', figure, 'at most 50 ms', median(times) <= 50)]
}
