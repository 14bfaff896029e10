import { type Context, createContext, runInContext } from 'node:vm'

let context: Context | undefined

/**
 * Runs `work`, which must be synchronous, and stops it after `limitMs` milliseconds of processor time, wherever it is: some
 * parsers need a time that grows without bounds for inputs that only an adversary writes. On a busy machine it begins the work
 * again when that had less than its time. Throws what `work` throws, and an error for which `isOverLimit` is true.
 */
export function withProcessorLimit<Result>(limitMs: number, work: () => Result): Result {
  context ??= createContext({ work: undefined })
  const end = processorMs() + limitMs
  for (let leftMs = limitMs; ; ) {
    context['work'] = work
    try {
      // This limit is one of the clock.
      return runInContext('work()', context, { timeout: Math.ceil(leftMs) }) as Result
    } catch (thrown) {
      leftMs = end - processorMs()
      if (!isOverLimit(thrown) || leftMs < limitMs / 20) throw thrown
    } finally {
      context['work'] = undefined
    }
  }
}

export function isOverLimit(thrown: unknown): boolean {
  return (thrown as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

/** In milliseconds; other processes on the machine do not count. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
