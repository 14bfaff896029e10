import { join } from 'node:path'
import { median, milliseconds, root, row, time, withDirectory } from './measure.mjs'

const program = (name) => join(root, `bench/programs/${name}.mjs`)
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`

/** How long does it take to read two stored runs of 50,000 trials each and to compare them, and to list and show them? */
export async function compare() {
  return withDirectory((directory) => {
    time([process.execPath, program('store-runs'), directory])
    const measured = [1, 2, 3, 4, 5].map(() =>
      JSON.parse(time([process.execPath, program('compare-runs'), directory]).stdout),
    )
    const middle = (name) => median(measured.map((one) => one[name]))
    const whole = middle('readMs') + middle('compareMs')
    const figure = `${milliseconds(whole)}, of which comparing ${milliseconds(middle('compareMs'))}`
    const bytes = middle('maxBytes')
    return [
      row('compare 100,000 stored items', figure, 'at most 1 s', whole <= 1_000),
      row('its memory', megabytes(bytes), 'at most 300 MB', bytes <= 300e6),
      row('list their runs', milliseconds(middle('listMs')), 'at most 1 s', middle('listMs') <= 1_000),
    ]
  })
}
