import { closingLine } from './failure-report.js'
import type { Host } from './host.js'

/** A signal that Ctrl-C fires, and the way to stop listening. */
export interface Interrupt extends Disposable {
  readonly signal: AbortSignal
}

/** Ctrl-C and SIGTERM: the first fires the signal, the second leaves at once with code 130. */
export function interruptible({ terminal }: Host, onFirst: () => string): Interrupt {
  const controller = new AbortController()
  const listen = () => {
    if (controller.signal.aborted) {
      terminal.err(closingLine(130))
      process.exit(130)
    }
    terminal.err(`\n${onFirst()}\n`)
    controller.abort(new Error('interrupted'))
  }
  process.on('SIGINT', listen)
  process.on('SIGTERM', listen)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', listen)
      process.off('SIGTERM', listen)
    },
  }
}
