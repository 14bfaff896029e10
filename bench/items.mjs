import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate, median, root, row, seconds, time, times, withDirectory } from './measure.mjs'

const program = join(root, 'bench/programs/run-items.mjs')
const printMemory = join(root, 'bench/programs/print-memory.mjs')
const command = join(root, 'packages/jurist/bin/jurist.js')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/** A JSONL file of trivial rows. */
function rows(directory, count) {
  const path = join(directory, `rows-${count}.jsonl`)
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ id: `row-${index}`, task: 'say done', answer: 'done' }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const config = (dataset) => `import { completed, defineConfig, outputText } from 'jurist'
export default defineConfig({
  experiments: {
    trivial: {
      dataset: ${JSON.stringify(dataset)},
      agent: async () => completed('done'),
      jury: outputText({ equals: 'done' }),
      concurrency: 50,
    },
  },
})
`

/** `jurist run` of trivial rows with an asynchronous agent, 50 at a time; every result is on the disk when it ends. */
function juristOf(directory, count) {
  const project = join(directory, `jurist-${count}`)
  mkdirSync(project)
  writeFileSync(join(project, 'jurist.config.mjs'), config(rows(directory, count)))
  const all = count.toLocaleString('en-US')
  return () => {
    const argv = [process.execPath, '--import', printMemory, command, 'run', 'trivial']
    const { elapsedMs, stdout, stderr } = time(argv, { cwd: project })
    if (!stdout.includes(`${all} of ${all} decided`)) throw new Error(`Not all of ${all} rows passed:\n${stdout}`)
    return { elapsedMs, rssMb: Number(/maxBytes (\d+)/.exec(stderr)[1]) / 2 ** 20 }
  }
}

const tests = {
  plain: 'test(String(i), () => { expect(1).toBe(1) })',
  concurrent: 'test.concurrent(String(i), async () => { expect(await Promise.resolve(1)).toBe(1) })',
}

/** `vitest run` of as many trivial tests in one file. */
function vitestOf(directory, count, kind) {
  const project = join(directory, kind)
  mkdirSync(project)
  writeFileSync(
    join(project, 'trivial.test.mjs'),
    `import { expect, test } from 'vitest'\nfor (let i = 0; i < ${count}; i++) ${tests[kind]}\n`,
  )
  writeFileSync(join(project, 'vitest.config.mjs'), 'export default { test: { maxConcurrency: 50 } }\n')
  return () => time([process.execPath, vitest, 'run', '--root', project, '--reporter', 'dot']).elapsedMs
}

/** How do 10,000 trivial items compare with as many vitest tests, and how does 100,000 grow? */
export function items() {
  // Below the repository, so that the test file finds vitest.
  return withDirectory((directory) => {
    const many = juristOf(directory, 100_000)
    const [ours, ...theirs] = alternate([
      juristOf(directory, 10_000),
      vitestOf(directory, 10_000, 'plain'),
      vitestOf(directory, 10_000, 'concurrent'),
    ])
    const large = [1, 2, 3].map(many)
    const whole = median(ours.map(({ elapsedMs }) => elapsedMs))
    const [plain, concurrent] = theirs.map(median)
    const hundred = median(large.map(({ elapsedMs }) => elapsedMs))
    const rssMb = Math.max(...ours.map((one) => one.rssMb))
    return [
      row(
        '`jurist run` of 10,000 trivial rows, 50 at a time',
        `${seconds(whole)}, ${times(whole / plain)} \`vitest run\` of as many plain tests (${seconds(plain)}), ${times(whole / concurrent)} of \`test.concurrent\` (${seconds(concurrent)})`,
        'at most 1.25 ×',
        whole / plain <= 1.25,
      ),
      row('its memory', `${Math.round(rssMb)} MB`, 'at most 200 MB', rssMb <= 200),
      row(
        '100,000 rows',
        `${seconds(hundred)}, ${times(hundred / whole)} the time of 10,000`,
        'at most 11 ×',
        hundred / whole <= 11,
      ),
    ]
  }, root)
}

/** One run of 1,000 items that wait, in a program; every result is in the store when it ends. */
function runWaiting(directory, dataset) {
  const store = join(directory, `store-${Math.random().toString(36).slice(2)}`)
  const { elapsedMs, stdout } = time([process.execPath, program, dataset, store, '50', '50'])
  const { passCount } = JSON.parse(stdout)
  if (passCount !== 1_000) throw new Error(`${passCount} of 1,000 items passed`)
  return elapsedMs
}

/** How much is added to 1,000 items that wait 50 ms each, 50 at a time? One second is the least possible. */
export function latency() {
  return withDirectory((directory) => {
    const dataset = rows(directory, 1_000)
    const whole = median([1, 2, 3, 4, 5].map(() => runWaiting(directory, dataset)))
    return [row('1,000 items of 50 ms, 50 at a time', seconds(whole), 'at most 1.3 s', whole <= 1_300)]
  })
}
