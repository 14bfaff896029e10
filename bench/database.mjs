import { join } from 'node:path'
import { median, milliseconds, root, row, time, withDatabase, withDirectory } from './measure.mjs'

const program = (name) => join(root, `bench/programs/${name}.mjs`)
const command = join(root, 'packages/jurist/dist/command/main.js')

/**
 * How long does it take to read two runs of 50,000 trials each from PostgreSQL and to compare them, and to list and show them,
 * beside the store of files? `JURIST_TEST_POSTGRES` is the address of a server where a database can be made.
 */
export function database() {
  return withDatabase('database', async (address) => {
    const measured = measuredAt(address)
    const files = await withDirectory(async (directory) => measuredAt(directory))
    const beside = (figure) => `${milliseconds(measured[figure])}, files ${milliseconds(files[figure])}`
    const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`
    return [
      row('open a run of 50,000 trials in PostgreSQL', beside('openMs'), 'at most 1 s', measured.openMs <= 1_000),
      row('compare two of them', beside('compareMs'), 'at most 1 s', measured.compareMs <= 1_000),
      row('the memory of that', megabytes(measured.maxBytes), 'at most 300 MB', measured.maxBytes <= 300e6),
      row('list the runs', beside('listMs'), 'at most 1 s', measured.listMs <= 1_000),
      row('`jurist show` of 100,000 trials, whole process', beside('showMs'), 'at most 2 s', measured.showMs <= 2_000),
    ]
  })
}

function measuredAt(place) {
  time([process.execPath, program('store-runs'), place])
  const found = [1, 2, 3, 4, 5].map(() => {
    const { listMs, readMs, compareMs, maxBytes } = JSON.parse(
      time([process.execPath, program('compare-runs'), place]).stdout,
    )
    const { elapsedMs } = time([process.execPath, command, 'show', 'whole', '--results', place])
    return { listMs, openMs: readMs / 2, compareMs: readMs + compareMs, maxBytes, showMs: elapsedMs }
  })
  const figures = ['listMs', 'openMs', 'compareMs', 'maxBytes', 'showMs']
  return Object.fromEntries(figures.map((figure) => [figure, median(found.map((one) => one[figure]))]))
}
