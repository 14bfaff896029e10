import { failureOf } from '@jurist/core/internal'
import type { GlobalFlags } from '@jurist/experiment/plugin'
import type { Terminal } from '../terminal/terminal.js'
import { closingLine, reportFailure } from './failure-report.js'
import type { Host } from './host.js'

/** Reserves standard output for a program that reads it: output of configs and judges goes to stderr instead. */
interface OwnStdout extends Disposable {
  readonly write: (text: string) => void
}

/** Reserves standard output for this command until the result is disposed of. */
export function ownStdout(): OwnStdout {
  const { stdout, stderr } = process
  const write = stdout.write
  stdout.write = stderr.write.bind(stderr)
  return {
    write: (text) => void write.call(stdout, text),
    [Symbol.dispose]() {
      stdout.write = write
    },
  }
}

/** A signal that Ctrl-C fires. Disposing stops listening. */
interface Interrupt extends Disposable {
  readonly signal: AbortSignal
}

/**
 * A parent program such as npx forwards Ctrl-C although the terminal already sent it to both, so one press causes two
 * signals.
 */
const onePressMs = 500

/**
 * Listens to Ctrl-C and SIGTERM: the first one fires the signal, the second one exits immediately with code 130.
 *
 * @param onSecond returns the text to print before the exit
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
 * Handles an early end of the process: an uncaught exception, such as one that an agent throws from a timer, a call of
 * `process.exit`, or a promise that never settles. Prints it together with `aftermath` and exits with code 3, so that
 * no gate takes it for success. The most recent handler wins.
 */
export function strayErrors(flags: GlobalFlags, terminal: Terminal, aftermath: () => string = () => ''): Disposable {
  const leave = (thrown: unknown) => {
    reportFailure(withAftermath(thrown, 'Nothing caught this error.', aftermath()), flags, terminal)
    process.exit(3)
  }
  const exit = () => {
    const { exitCode } = process
    // Only these codes are early exits of the command itself. The previous handler also sets 3, below.
    if (exitCode === 3 || exitCode === 130) return
    reportFailure(withAftermath(new Error(earlyExit(exitCode)), aftermath()), flags, terminal, 3)
    process.exitCode = 3
  }
  process.prependListener('uncaughtException', leave)
  process.prependListener('unhandledRejection', leave)
  process.prependListener('exit', exit)
  return {
    [Symbol.dispose]() {
      process.off('uncaughtException', leave)
      process.off('unhandledRejection', leave)
      process.off('exit', exit)
    },
  }
}

/** The exit code for a module with an unsettled `await` from Node 22 on; `undefined` before. */
const unsettledAwait = 13

function earlyExit(exitCode: typeof process.exitCode): string {
  const waits = exitCode === undefined || exitCode === unsettledAwait ? ', or waits for what never comes' : ''
  return `The process ended before the command: an agent, a judge or the config called process.exit(${exitCode ?? ''})${waits}.`
}

/** Adds `aftermath` to an error. The result is never a usage error, since it did not come from the command line. */
function withAftermath(thrown: unknown, ...aftermath: readonly string[]): Error {
  const { message } = failureOf(thrown)
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`
  const error = new Error([sentence, ...aftermath].filter(Boolean).join(' '))
  if (thrown instanceof Error && thrown.stack !== undefined) error.stack = thrown.stack
  return error
}

/** The signals that stop a worker. */
interface WorkerSignals extends Disposable {
  /** Fires at the first Ctrl-C: running trials are finished. */
  readonly finish: AbortSignal
  /** Fires at the second Ctrl-C and at SIGTERM: running trials are returned to the queue. */
  readonly giveBack: AbortSignal
}

/** Listens to Ctrl-C and SIGTERM. After `giveBack`, the next one exits immediately. */
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
