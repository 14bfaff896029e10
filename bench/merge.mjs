import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { median, root, row, seconds, time, withDirectory } from './measure.mjs'

const program = (name) => join(root, `bench/programs/${name}.mjs`)
const command = join(root, 'packages/jurist/dist/command/main.js')

/** How long does it take to merge 100 shards of 1,000 trials each, and how much memory? */
export async function merge() {
  return withDirectory((directory) => {
    time([process.execPath, program('store-shards'), join(directory, 'shards')])
    const places = readdirSync(join(directory, 'shards')).map((name) => join('shards', name))
    const argv = [
      process.execPath,
      '--import',
      program('print-memory'),
      command,
      'store',
      'merge',
      ...places,
      '--quiet',
    ]
    const runs = [1, 2, 3, 4, 5].map(() => {
      rmSync(join(directory, 'results'), { recursive: true, force: true })
      return time(argv, { cwd: directory })
    })
    const ms = median(runs.map(({ elapsedMs }) => elapsedMs))
    const bytes = median(runs.map(({ stderr }) => Number(/maxBytes (\d+)/.exec(stderr)[1])))
    return [
      row(
        '`jurist store merge` of 100 shards × 1,000 trials of 1.5 KB, whole process',
        seconds(ms),
        'at most 3 s',
        ms <= 3_000,
      ),
      row('its memory', `${Math.round(bytes / 1e6)} MB`, 'at most 300 MB', bytes <= 300e6),
    ]
  })
}
