import { type Judge, type Jury, type MustDecideOptions, mustDecide } from '@jurist/core'
import { failureOf, type Place } from '@jurist/core/internal'
import type { Reading } from './reading.js'

type Described = Readonly<Record<string, unknown>>

/** The judge that a description with `mustDecide: fail` or `mustDecide: error` means; `describe` reads the rest of it. */
export async function describedDecider(
  value: Described,
  place: Place,
  reading: Reading,
  describe: (value: Described, place: Place, reading: Reading) => Promise<Judge | Jury | undefined>,
): Promise<Judge | Jury | undefined> {
  const { mustDecide: as, ...rest } = value
  const judge = await describe(rest, place, reading)
  if (judge === undefined) return undefined
  try {
    return mustDecide(judge, { as } as MustDecideOptions)
  } catch (thrown) {
    reading.report([...place, 'mustDecide'], failureOf(thrown).message, 'Write mustDecide: fail, or mustDecide: error.')
    return undefined
  }
}
