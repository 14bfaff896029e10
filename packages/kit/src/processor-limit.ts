import { type Context, createContext, runInContext } from 'node:vm'

let context: Context | undefined

/**
 * Runs `work`, which must be synchronous, and stops it after `limitMs` milliseconds of processor time, even inside a
 * parser: some parsers need unbounded time for inputs of an adversary. If the process got less processor time on a busy
 * machine, the work starts again. Throws what `work` throws, and at the limit an error for which `isOverLimit` is true.
 */
export function withProcessorLimit<Result>(limitMs: number, work: () => Result): Result {
  context ??= createContext({ work: undefined })
  const end = processorMs() + limitMs
  for (let leftMs = limitMs; ; ) {
    context['work'] = work
    try {
      // The timeout counts elapsed time, not processor time.
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

/** In milliseconds. Other processes on the machine do not count. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
