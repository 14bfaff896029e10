import { failureOf } from '@jurist/core/internal'
import { withTimeout } from '@jurist/kit/timers'
import type { ExperimentEvent, Reporter } from './events.js'

/** Those who are told every event as it happens. */
export interface Reporters {
  add(reporter: Reporter): void
  tell(event: ExperimentEvent): void
  /** Waits for what reporters have promised, 10 seconds at most. */
  settle(): Promise<void>
}

const graceMs = 10_000

/**
 * Calls reporters, none of which can do harm: one that throws or rejects is switched off.
 *
 * @param switchedOff told which event that was, and why
 */
export function reporters(switchedOff: (event: ExperimentEvent, message: string) => void): Reporters {
  const listening = new Set<Reporter>()
  const promised = new Set<Promise<void>>()

  function fail(reporter: Reporter, event: ExperimentEvent, thrown: unknown): void {
    if (!listening.delete(reporter)) return
    switchedOff(event, `A reporter failed and is told nothing more: ${failureOf(thrown).message}`)
  }

  function report(reporter: Reporter, event: ExperimentEvent): void {
    try {
      const promise = reporter(event)
      if (promise === undefined) return
      const settled: Promise<void> = Promise.resolve(promise)
        .catch((thrown: unknown) => fail(reporter, event, thrown))
        .finally(() => promised.delete(settled))
      promised.add(settled)
    } catch (thrown) {
      fail(reporter, event, thrown)
    }
  }

  return {
    add: (reporter) => void listening.add(reporter),
    tell(event) {
      for (const reporter of listening) report(reporter, event)
    },
    async settle() {
      if (promised.size > 0) await withTimeout(Promise.all(promised), graceMs, () => {})
    },
  }
}
