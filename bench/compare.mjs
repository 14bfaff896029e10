import { join } from 'node:path'
import { median, milliseconds, root, row, time, withDirectory } from './measure.mjs'

const program = (name) => join(root, `bench/programs/${name}.mjs`)
const command = join(root, 'packages/jurist/dist/command/main.js')
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`

/** The command as a whole process, five times: how long it took, how much memory, both in the median. */
function commanded(directory, ...words) {
  const argv = [process.execPath, '--import', program('print-memory'), command, ...words, '--results', directory]
  const runs = [1, 2, 3, 4, 5].map(() => time(argv))
  const bytes = median(runs.map(({ stderr }) => Number(/maxBytes (\d+)/.exec(stderr)[1])))
  return { ms: median(runs.map(({ elapsedMs }) => elapsedMs)), bytes }
}

function showRow(question, { ms, bytes }) {
  return row(question, `${milliseconds(ms)}, ${megabytes(bytes)}`, 'at most 1 s, 300 MB', ms <= 1_000 && bytes <= 300e6)
}

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
      showRow('`jurist show` of 100,000 stored items of 1.5 KB, whole process', commanded(directory, 'show', 'whole')),
      showRow('one of them, whole process', commanded(directory, 'show', 'whole', 'item-77777')),
    ]
  })
}

/** How long do people wait for the commands that read, beside 1,000,000 stored trials in 20 runs? */
export async function million() {
  return withDirectory((directory) => {
    time([process.execPath, program('store-runs'), directory, 'million'])
    const rowOf = (question, mostMs, { ms, bytes }) =>
      row(
        `${question}, 1,000,000 stored trials in 20 runs, whole process`,
        `${milliseconds(ms)}, ${megabytes(bytes)}`,
        `at most ${mostMs} ms, 600 MB`,
        ms <= mostMs && bytes <= 600e6,
      )
    const [older, newer] = ['20260119T000000000Z-aaaaaa', '20260120T000000000Z-aaaaaa']
    return [
      rowOf('`jurist list`', 100, commanded(directory, 'list')),
      rowOf('`jurist show` of one run', 1_500, commanded(directory, 'show', newer)),
      rowOf('`jurist compare` of two', 3_000, commanded(directory, 'compare', older, newer, '--fail-on', 'never')),
    ]
  })
}
