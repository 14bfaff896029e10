import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresStore } from '@jurist/distributed/postgres'
import { median, root, row, seconds, time, times, withDatabase, withDirectory } from './measure.mjs'

const command = join(root, 'packages/jurist/dist/command/main.js')
const simulation = join(root, 'bench/programs/simulated-machines.mjs')

const config = `import { completed, defineConfig, outputText } from 'jurist'
export default defineConfig({
  experiments: {
    waiting: {
      dataset: Array.from({ length: 160 }, (_, index) => ({ id: 'item-' + index, task: 'wait' })),
      agent: async () => {
        await new Promise((done) => setTimeout(done, 500))
        return completed('done')
      },
      jury: outputText({ equals: 'done' }),
    },
  },
})
`

/** How much faster are two workers than one for trials that wait, and how well does a queue use 50 machines? */
export async function workers() {
  return [...(await twoWorkers()), ...manyMachines()]
}

function manyMachines() {
  const found = [1, 2, 3, 4, 5].map((seed) => JSON.parse(time([process.execPath, simulation, `${seed}`]).stdout))
  const middle = (name) => median(found.map((one) => one[name]))
  const hours = `the shortest is ${middle('shortestHours').toFixed(1)} h`
  const question = '50 simulated machines of 8 with a queue, 10,000 × 5 trials of 1 to 30 minutes'
  const factor = (name) => `${middle(name).toFixed(3)} ×`
  return [
    row(
      `${question}, longest first as an earlier run has measured them`,
      `${factor('longestFirst')}; ${hours}`,
      'at most 1.03 ×',
      middle('longestFirst') <= 1.03,
    ),
    row(
      'the same without an earlier run, by timeouts of 10, 30, 60 or 120 minutes that the items declare',
      factor('byTimeouts'),
      'at most 1.03 ×',
      middle('byTimeouts') <= 1.03,
    ),
    row(
      'the same without both, in the order of the dataset',
      factor('inOrder'),
      'at most 1.03 ×',
      middle('inOrder') <= 1.03,
    ),
  ]
}

function twoWorkers() {
  return withDatabase('workers', (address) =>
    withDirectory(async (directory) => {
      writeFileSync(join(directory, 'jurist.config.mjs'), config)
      const [one, two] = [[], []]
      for (let round = 0; round < 3; round++) {
        one.push(await runWith(1, directory, address))
        two.push(await runWith(2, directory, address))
      }
      const gain = median(one) / median(two)
      const figure = `${times(gain)} (${seconds(median(one))}, ${seconds(median(two))})`
      return [row('two workers of 4 against one, 160 trials that wait 0.5 s', figure, 'at least 1.9 ×', gain >= 1.9)]
    }),
  )
}

/** Milliseconds from the first trial of a run to the end of the last. */
async function runWith(count, directory, address) {
  const options = { cwd: directory, env: { ...process.env, JURIST_RESULTS: address } }
  const planned = time(
    [process.execPath, command, 'run', 'waiting', '--distributed', '--detach'],
    options,
  ).stdout.trim()
  const processes = Array.from({ length: count }, () =>
    spawn(process.execPath, [command, 'worker', '--exit-when-idle'], { ...options, stdio: 'ignore' }),
  )
  await Promise.all(processes.map((one) => once(one, 'close')))
  const store = postgresStore(address)
  const { items } = await store.load(planned)
  await store[Symbol.asyncDispose]()
  const instants = (field) => items.map((item) => Date.parse(item[field]))
  return Math.max(...instants('endedAt')) - Math.min(...instants('startedAt'))
}
