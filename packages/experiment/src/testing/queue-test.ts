import { setTimeout } from 'node:timers/promises'
import type { TrialName } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import type { ResultStore, RunManifest } from '../store/store.js'
import type { LeasedTrial, PlannedRun, RunLimits, TrialQueue } from '../store/trial-queue.js'
import { aManifest } from './contract.js'

/** How a queue to be tested is opened, and its time moved. */
export interface TrialQueueContractSetup {
  /** Opens the queue, and the store that its results go into: each time of the same database. */
  readonly open: () => Promise<{ readonly queue: TrialQueue; readonly store: ResultStore }>
  /** Makes a run and its leases older by some milliseconds, as if nothing had happened in that time. */
  readonly age: (run: string, ms: number) => Promise<void>
}

export interface TestedQueue {
  readonly queue: TrialQueue
  readonly store: ResultStore
  /** Makes a run older by an hour, so that its leases are lost unless they are renewed. */
  readonly age: (run: string) => Promise<void>
  /** Leases all trials of a run that are ready. */
  readonly all: (run: string) => Promise<readonly LeasedTrial[]>
  /** Leases one trial of a run as soon as there is one. */
  readonly again: (run: string) => Promise<readonly LeasedTrial[]>
}

export type QueueTest = (what: string, body: (queue: TestedQueue) => Promise<void>) => void

const hourMs = 3_600_000
/** A queue may look for lost trials once in a while. */
const lookMs = 100
const looks = 1_000

export function aQueue(queue: TrialQueue, store: ResultStore, age: TrialQueueContractSetup['age']): TestedQueue {
  return {
    queue,
    store,
    age: (run) => age(run, hourMs),
    all: (run) => queue.lease({ worker: 'all', runs: [run], max: 100 }),
    async again(run) {
      for (let look = 0; look < looks; look += 1) {
        const leased = await queue.lease({ worker: 'again', runs: [run], max: 1 })
        if (leased.length > 0) return leased
        await setTimeout(lookMs)
      }
      throw new Error(`no trial of the run is leased within ${(looks * lookMs) / 1_000} s`)
    },
  }
}

/** A run of some items, one repetition each. What is given replaces a field as it is. */
export function aPlannedRun(
  itemOrder: readonly string[],
  { limits, labels = [] }: { readonly limits?: Partial<RunLimits>; readonly labels?: readonly string[] } = {},
): PlannedRun & { readonly trials: readonly TrialName[] } {
  const planned: Partial<RunManifest> = { planned: itemOrder.length, itemOrder, conditions: { model: 'small' } }
  const experimentName = `contract-${newRunId().slice(-6)}`
  return {
    manifest: aManifest({ experimentName, ...planned }),
    limits: { ...noLimits, ...limits },
    spent: { trials: 0, usd: 0, tokens: 0, failures: 0, outages: 0, outage: null },
    labels,
    requireSameCommit: true,
    trials: itemOrder.map((itemId) => ({ itemId, repetition: 1 })),
  }
}

const noLimits: RunLimits = {
  usd: null,
  tokens: null,
  includeJudges: true,
  bailAfter: null,
  outageAfter: null,
  timeoutMs: null,
}
