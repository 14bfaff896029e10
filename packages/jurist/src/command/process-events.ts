import { failureOf } from '@jurist/core/internal'
import type { Terminal } from '../terminal/terminal.js'
import { closingLine, reportFailure } from './failure-report.js'
import type { GlobalFlags, Host } from './host.js'

/** A signal that Ctrl-C fires, and the way to stop listening. */
export interface Interrupt extends Disposable {
  readonly signal: AbortSignal
}

/** A program that starts this one, such as npx, passes on a Ctrl-C that the terminal has sent to both: one press, two signals. */
const onePressMs = 500

/**
 * Ctrl-C and SIGTERM: the first fires the signal, the second exits immediately with code 130.
 *
 * @param onSecond what is printed before the exit
 */
export function interruptible({ terminal }: Host, onFirst: () => string, onSecond: () => string = () => ''): Interrupt {
  const controller = new AbortController()
  let firstAt = 0
  const listen = () => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAt < onePressMs) return
      terminal.err(`${onSecond()}${closingLine(130)}`)
      process.exit(130)
    }
    firstAt = performance.now()
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

/**
 * Handles errors that nothing catches, such as one that an agent throws from a timer: prints the error together with
 * `aftermath` and exits with code 3. The most recent handler wins.
 */
export function strayErrors(flags: GlobalFlags, terminal: Terminal, aftermath: () => string = () => ''): Disposable {
  const leave = (thrown: unknown) => {
    reportFailure(withAftermath(thrown, aftermath()), flags, terminal)
    process.exit(3)
  }
  process.prependListener('uncaughtException', leave)
  process.prependListener('unhandledRejection', leave)
  return {
    [Symbol.dispose]() {
      process.off('uncaughtException', leave)
      process.off('unhandledRejection', leave)
    },
  }
}

/** The error with `aftermath`. Never a usage error, whatever its code: it did not come from the command line. */
function withAftermath(thrown: unknown, aftermath: string): Error {
  const { message } = failureOf(thrown)
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`
  const error = new Error([sentence, 'Nothing caught this error.', aftermath].filter(Boolean).join(' '))
  if (thrown instanceof Error && thrown.stack !== undefined) error.stack = thrown.stack
  return error
}
