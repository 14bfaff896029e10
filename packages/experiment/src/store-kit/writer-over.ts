import { JuristError } from '@jurist/core'
import { type RunOverview, trialKey } from '../result/trial-figures.js'
import { writerClosed } from '../store/names.js'
import { endedHead, entryOf, type RunHead, runningHead } from '../store/run-head.js'
import type { RunWriter } from '../store/store.js'
import type { HeadRow, RunHold, TrialRow } from './store-backend.js'
import { trialRow } from './trial-rows.js'

/** What a writer over a backend needs. */
interface Writing {
  readonly hold: RunHold
  readonly head: RunHead
  /** Whether the stored head says already that the run is running; else it does so with the first trial. */
  readonly begun: boolean
  /** Reads the overview of the run as one that no writer holds. */
  readonly overview: (head: RunHead) => Promise<RunOverview>
}

/** The writer of a run that is held. */
export function writerOver({ hold, head: first, begun: begunBefore, overview }: Writing): RunWriter {
  const { id } = first
  let head = first
  let begun = begunBefore
  let open = true
  const batches = rowBatches((trials) => write(trials, begun ? undefined : row(head)))

  async function write(trials: readonly TrialRow[], changed: HeadRow | undefined): Promise<void> {
    const change = changed === undefined ? { trials } : { trials, head: changed }
    if (!(await hold.write(change))) takenOver(id)
    begun = true
  }

  function mustBeOpen(): void {
    if (!open) writerClosed(id)
  }

  return {
    runId: id,
    directory: null,
    async append(item) {
      mustBeOpen()
      await batches.add(trialRow(item))
    },
    async extend(plan) {
      mustBeOpen()
      await batches.idle()
      head = { ...head, ...plan }
      await write([], row(head))
    },
    async finish(end) {
      mustBeOpen()
      open = false
      await batches.idle()
      const last = endedHead(head, end)
      try {
        const result = await overview(last)
        await write([], { head: JSON.stringify(last), entry: JSON.stringify(entryOf(last, result.trials, null)) })
        return result
      } finally {
        await hold.release()
      }
    },
    async release() {
      if (!open) return
      open = false
      await batches.idle()
      await hold.release()
    },
  }
}

/** The row of the head of a run that is running. */
function row(head: RunHead): HeadRow {
  return { head: JSON.stringify(runningHead(head)), entry: null }
}

function takenOver(id: string): never {
  throw new JuristError(
    'store-failed',
    `Run ${id} was taken over by another process, as this one was silent for too long. Resume it when that one has ended.`,
    { path: id },
  )
}

interface Waiting {
  readonly row: TrialRow
  readonly stored: () => void
  readonly failed: (thrown: unknown) => void
}

/** Rows on their way to a backend: those that come while others are written go out together. */
interface RowBatches {
  /** Resolves when the row is stored. */
  add(row: TrialRow): Promise<void>
  /** Resolves when no row is on its way. */
  idle(): Promise<void>
}

const maxRows = 100
const maxLength = 8 * 1024 * 1024

/** Batches of rows, no two of the same trial in one batch. */
function rowBatches(write: (rows: readonly TrialRow[]) => Promise<void>): RowBatches {
  let waiting: readonly Waiting[] = []
  let writing: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize(waiting))
      waiting = waiting.slice(batch.length)
      try {
        await write(batch.map(({ row }) => row))
        for (const { stored } of batch) stored()
      } catch (thrown) {
        for (const { failed } of batch) failed(thrown)
      }
    }
    writing = undefined
  }

  return {
    add: (row) =>
      new Promise((stored, failed) => {
        waiting = [...waiting, { row, stored, failed }]
        writing ??= drain()
      }),
    async idle() {
      await writing
    },
  }
}

/** How many of those that wait may go out together. */
function batchSize(waiting: readonly Waiting[]): number {
  const seen = new Set<string>()
  let length = 0
  for (const { row } of waiting) {
    length += row.record.length
    if (seen.size === maxRows || seen.has(trialKey(row)) || (seen.size > 0 && length > maxLength)) break
    seen.add(trialKey(row))
  }
  return seen.size
}
