import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, row, seconds, time, times, withDirectory } from './measure.mjs'

const ids = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
const command = [process.execPath, join(root, 'packages/jurist/dist/command/main.js')]

/** How long does `jurist vet --quick` of seven items of one file take, with their locks, against one `npm test` of each right answer? */
export function vetting() {
  return withDirectory(async (directory) => {
    cpSync(join(root, 'examples/hidden-tests'), directory, { recursive: true })
    const items = join(directory, 'dataset/items')
    for (const id of ids) cpSync(join(items, 'range'), join(items, id), { recursive: true })
    const place = join(directory, 'dataset/dataset.json')
    const dataset = JSON.parse(readFileSync(place, 'utf8'))
    writeFileSync(place, JSON.stringify({ ...dataset, items: ids.map((id) => ({ id, path: `items/${id}` })) }))
    time([...command, 'vet', 'establish', '--repeat', '1', '--write'], { cwd: directory })
    const testsOf = (id) => time(['npm', 'test'], { cwd: join(items, id, 'reference') }).elapsedMs
    const before = ids.map(testsOf)
    const { elapsedMs, stdout } = time([...command, 'vet', '--quick'], { cwd: directory })
    if (!stdout.includes('Sound in everything that was tried')) throw new Error(stdout)
    const once = [...before, ...ids.map(testsOf)].reduce((sum, ms) => sum + ms, 0) / 2
    return [
      row(
        '`jurist vet --quick` of seven items of one file, whole process, against one `npm test` of each right answer in turn',
        `${seconds(elapsedMs)}, ${times(elapsedMs / once)} (${seconds(once)})`,
        'at most 60 s',
        elapsedMs <= 60_000,
      ),
    ]
  })
}
