import { closingLine } from './failure-report.js'
import type { Host } from './host.js'

/** The signals with which a worker is stopped. */
interface WorkerSignals extends Disposable {
  /** Fires at the first Ctrl-C: the trials that run are finished. */
  readonly finish: AbortSignal
  /** Fires at the second Ctrl-C and at SIGTERM: they are given back. */
  readonly giveBack: AbortSignal
}

/** A program that starts this one passes on a Ctrl-C that the terminal has sent to both: one press, two signals. */
const onePressMs = 500

/** Listens to Ctrl-C and SIGTERM. After `giveBack`, a further one exits immediately. */
export function workerSignals({ terminal }: Host): WorkerSignals {
  const finish = new AbortController()
  const giveBack = new AbortController()
  let lastMs = Number.NEGATIVE_INFINITY

  function leave(): void {
    terminal.err('\nGiving the trials back (press again to exit immediately).\n')
    giveBack.abort()
  }
  function interrupt(): void {
    if (performance.now() - lastMs < onePressMs) return
    lastMs = performance.now()
    if (giveBack.signal.aborted) exit()
    else if (finish.signal.aborted) leave()
    else {
      terminal.err('\nFinishing the trials that run (press again to give them back).\n')
      finish.abort()
    }
  }
  function terminate(): void {
    if (giveBack.signal.aborted) exit()
    else leave()
  }
  function exit(): never {
    terminal.err(closingLine(130))
    process.exit(130)
  }

  process.on('SIGINT', interrupt)
  process.on('SIGTERM', terminate)
  return {
    finish: finish.signal,
    giveBack: giveBack.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', interrupt)
      process.off('SIGTERM', terminate)
    },
  }
}
