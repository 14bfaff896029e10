import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate, median, root, row, seconds, time, times, withDirectory } from './measure.mjs'

const program = join(root, 'bench/programs/run-items.mjs')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/** A JSONL file of trivial rows. */
function rows(directory, count) {
  const path = join(directory, `rows-${count}.jsonl`)
  const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ id: `row-${index}`, task: 'say done' }))
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** One whole run; every result is in the store when it ends. */
function runItems(directory, dataset, count, { concurrency = 50, latencyMs = 0 } = {}) {
  const store = join(directory, `store-${Math.random().toString(36).slice(2)}`)
  const { elapsedMs, stdout } = time([
    process.execPath,
    program,
    dataset,
    store,
    String(concurrency),
    String(latencyMs),
  ])
  const { passCount, rssMb } = JSON.parse(stdout)
  if (passCount !== count) throw new Error(`${passCount} of ${count} items passed`)
  return { elapsedMs, rssMb }
}

/** A bare vitest run of as many trivial tests in one file. */
function vitestOf(directory, count) {
  const project = join(directory, 'vitest')
  mkdirSync(project, { recursive: true })
  writeFileSync(
    join(project, 'trivial.test.mjs'),
    `import { expect, test } from 'vitest'\nfor (let i = 0; i < ${count}; i++) test(\`\${i}\`, () => { expect(1).toBe(1) })\n`,
  )
  writeFileSync(join(project, 'vitest.config.mjs'), 'export default {}\n')
  return () => time([process.execPath, vitest, 'run', '--root', project, '--reporter', 'dot']).elapsedMs
}

/** How do 10,000 trivial items compare with as many vitest tests, and how does 100,000 grow? */
export function items() {
  // Below the repository, so that the test file finds vitest.
  return withDirectory((directory) => {
    const few = rows(directory, 10_000)
    const many = rows(directory, 100_000)
    const [ours, theirs] = alternate([() => runItems(directory, few, 10_000), vitestOf(directory, 10_000)])
    const large = [1, 2, 3].map(() => runItems(directory, many, 100_000))
    const whole = median(ours.map(({ elapsedMs }) => elapsedMs))
    const bare = median(theirs)
    const hundred = median(large.map(({ elapsedMs }) => elapsedMs))
    const rssMb = Math.max(...ours.map((one) => one.rssMb))
    return [
      row(
        '10,000 trivial items, whole process',
        `${seconds(whole)}, ${times(whole / bare)} vitest (${seconds(bare)})`,
        'at most 0.6 ×',
        whole / bare <= 0.6,
      ),
      row('their memory', `${Math.round(rssMb)} MB`, 'at most 200 MB', rssMb <= 200),
      row(
        '100,000 items',
        `${seconds(hundred)}, ${times(hundred / whole)} the time of 10,000`,
        'at most 11 ×',
        hundred / whole <= 11,
      ),
    ]
  }, root)
}

/** How much is added to 1,000 items that wait 50 ms each, 50 at once? One second is the least possible. */
export function latency() {
  return withDirectory((directory) => {
    const dataset = rows(directory, 1_000)
    const runs = [1, 2, 3, 4, 5].map(() => runItems(directory, dataset, 1_000, { latencyMs: 50 }).elapsedMs)
    const whole = median(runs)
    return [row('1,000 items of 50 ms, 50 at once', seconds(whole), 'at most 1.3 s', whole <= 1_300)]
  })
}
