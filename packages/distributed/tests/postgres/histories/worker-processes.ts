import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LeasedTrial } from '@jurist/experiment/store-kit'
import type { HistoryLog } from './history-log.js'

const program = fileURLToPath(new URL('../fixtures/queue-worker.mjs', import.meta.url))

type Line =
  | { readonly type: 'leased'; readonly trials: readonly LeasedTrial[] }
  | { readonly type: 'storing'; readonly trial: LeasedTrial }
  | { readonly type: 'ended'; readonly trial: LeasedTrial; readonly outcome: 'stored' | 'lost' }
  | { readonly type: 'failed'; readonly message: string }

/** A worker in a separate process. */
export interface WorkerProcess {
  readonly process: ChildProcess
  /** The leases that it holds. */
  readonly held: ReadonlySet<string>
  readonly ended: Promise<void>
}

/** What workers are started with. */
export interface Starting {
  readonly address: string
  readonly runs: readonly string[]
  readonly concurrency: number
  /** How long a trial may take; `signal`: until SIGUSR2. */
  readonly longestMs: number | 'signal'
  /** How wrong its clock is. */
  readonly clockMs: number
  readonly logOf: (run: string) => HistoryLog
  /** Called with each trial that it leases. */
  readonly leased: (trial: LeasedTrial) => void
}

/** Starts a worker. */
export function startWorker(worker: string, starting: Starting): WorkerProcess {
  const { address, runs, concurrency, longestMs, clockMs, logOf, leased } = starting
  const args = [program, address, worker, concurrency, longestMs, clockMs, ...runs].map(String)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const held = new Set<string>()
  const storing = new Map<string, (outcome: 'stored' | 'lost') => void>()

  function note(line: Line): void {
    if (line.type === 'leased') {
      for (const trial of line.trials) {
        logOf(trial.run).leased([trial])
        held.add(trial.lease)
        leased(trial)
      }
    } else if (line.type === 'storing') {
      storing.set(line.trial.lease, logOf(line.trial.run).storing(line.trial))
    } else if (line.type === 'ended') {
      storing.get(line.trial.lease)?.(line.outcome)
      held.delete(line.trial.lease)
    }
  }

  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    // A process that is killed may leave half a line.
    if (line.endsWith('}')) note(JSON.parse(line))
  })
  return { process: child, held, ended: new Promise((resolve) => lines.once('close', resolve)) }
}
