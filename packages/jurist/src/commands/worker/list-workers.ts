import { trialText } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import type { RunProgress, SeenWorker } from '@jurist/experiment/store-kit'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine, textTable } from '@jurist/kit/terminal'
import type { Host } from '../../command-kit/host.js'
import { resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { queueOf } from './shared-queue.js'

/** A run that workers share, with its progress. */
interface OpenRun extends RunProgress {
  readonly id: string
  readonly experimentName: string
  readonly variant: string | null
  readonly labels: readonly string[]
}

export const listWorkers: Subcommand = subcommand({
  arguments: [['[experiment]', 'only runs of this experiment']],
  flags: {},
  examples: ['worker list', 'worker list repair'],
  async run(host, [name]) {
    const results = await resultsOf(host)
    await using queue = queueOf(results)
    const seen = await queue.workers()
    const runs: OpenRun[] = []
    for (const { manifest, labels } of await queue.runs()) {
      const { id, experimentName, variant } = manifest
      if (name !== undefined && experimentName !== name) continue
      const progress = await queue.progress(id)
      if (progress !== undefined) runs.push({ id, experimentName, variant, labels, ...progress })
    }
    if (host.flags.json === true) host.json({ workers: seen, runs })
    else print(host, seen, runs, results.shown)
    return 0
  },
})

function print(host: Host, seen: readonly SeenWorker[], runs: readonly OpenRun[], shown: string): void {
  const { terminal } = host
  if (seen.length === 0 && runs.length === 0)
    host.note(
      `No worker and no distributed run in ${shown}. Start one: ${commandLine('run', '--distributed')}, ${commandLine('worker')}`,
    )
  const options = { width: terminal.columns }
  if (runs.length > 0) terminal.out(`${textTable(runColumns, runs.map(runRow), options)}\n`)
  if (runs.length > 0 && seen.length > 0) terminal.out('\n')
  if (seen.length > 0) terminal.out(`${textTable(workerColumns, seen.map(workerRow), options)}\n`)
  for (const { id, refused } of seen)
    for (const [run, reason] of Object.entries(refused))
      terminal.out(`${safeLine(`${id}: no trial of ${run}. ${reason}`)}\n`)
}

const right = { align: 'right' } as const

const runColumns = [
  { title: 'RUN', shrinks: false },
  { title: 'EXPERIMENT', shrinks: true },
  { title: 'NEEDS', shrinks: true },
  { title: 'READY', ...right },
  { title: 'RUNNING', ...right },
  { title: 'STORED', ...right },
  { title: 'LOST', ...right },
  { title: 'STATE', shrinks: true },
]

function runRow({ id, experimentName, variant, labels, ready, leased, stored, lost, stopped }: OpenRun) {
  const name = variant === null ? experimentName : `${experimentName}, ${variant}`
  const state = stopped === null ? 'running' : `stops: ${stopped.message}`
  return [
    safeLine(id),
    safeLine(name),
    safeLine(labels.join(',')),
    `${ready}`,
    `${leased}`,
    `${stored}`,
    `${lost}`,
    safeLine(state),
  ]
}

const workerColumns = [
  { title: 'WORKER', shrinks: false },
  { title: 'OFFERS', shrinks: true },
  { title: 'SEEN', ...right },
  { title: 'HOLDS', ...right },
  { title: 'TRIALS', shrinks: true },
]

function workerRow({ id, labels, silentMs, trials, concurrency }: SeenWorker) {
  const names = trials.map(
    ({ itemId, repetition, heldMs }) => `${trialText({ itemId, repetition })} (${duration(heldMs)})`,
  )
  return [
    safeLine(id),
    safeLine(labels.join(',')),
    `${duration(silentMs)} ago`,
    `${trials.length}/${concurrency}`,
    safeLine(names.join(', ')),
  ]
}
