import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { count, counted, percent } from '../amounts.js'

/** Whether the judge agrees with itself: repeated, and with two places exchanged. */
export function Consistency({
  consistency: { repeats, swap },
}: {
  readonly consistency: CalibrationDocument['report']['consistency']
}): JSX.Element | null {
  if (repeats === null && swap === null) return null
  return (
    <section class="part">
      <h2>Consistency</h2>
      {repeats === null ? null : (
        <p>
          Repeated: {count(repeats.unanimous)} of {counted(repeats.items, 'item')} judged alike each time, agreement{' '}
          {percent(repeats.agreement)}.
        </p>
      )}
      {swap === null ? null : (
        <p>
          Places exchanged: {count(swap.items - swap.consistent)} of {counted(swap.items, 'pair')} flip,{' '}
          {percent(swap.flipRate)}
          {swap.flips.map(({ given, exchanged, items }) => `; ${given} to ${exchanged} ${count(items)}`).join('')}.
        </p>
      )}
    </section>
  )
}
