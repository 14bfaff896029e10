import { recorded } from '@jurist/experiment/calibrate'
import { calibrateCascade, cascadeCalibrationOf } from '@jurist/experiment/certify'
import { median, row } from './measure.mjs'

const names = ['small', 'medium', 'large']

/** Labelled items that three judges have judged already, the later ones better and more certain. */
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

/** How long does it take to certify a cascade of three recorded tiers: what was judged already, and with judging, in process? */
export async function certificates() {
  const timed = async (work) => {
    const startedAt = performance.now()
    const value = await work()
    return [performance.now() - startedAt, value]
  }
  const [whole, again] = [[], []]
  for (let round = 0; round < 9; round += 1) {
    const [wholeMs, { result }] = await timed(() => calibrateCascade({ name: 'recorded', items, tiers }))
    const [againMs, stored] = await timed(() => cascadeCalibrationOf(result))
    if (stored.counts.items !== 250) throw new Error('not all items were judged')
    whole.push(wholeMs)
    again.push(againMs)
  }
  const figure = `${Math.round(median(again))} ms; ${Math.round(median(whole))} ms with judging and the state of the repository`
  return [row('certifying 250 judged items of three tiers', figure, 'at most 50 ms', median(again) <= 50)]
}
