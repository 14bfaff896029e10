import type { Reporter } from 'jurist'

/** A line for each trial that ends, for a chat or a log. */
export function lineReporter(write: (line: string) => void): Reporter {
  return function lineReporter(event) {
    if (event.type === 'item-end') {
      const { itemId, passed, costUsd } = event.result
      write(`${itemId}: ${passed === null ? 'undecided' : passed ? 'passed' : 'failed'}, $${costUsd ?? '?'}`)
    }
    if (event.type === 'experiment-end') write(`${event.summary.passCount} of ${event.summary.counts.decided} passed`)
  }
}
