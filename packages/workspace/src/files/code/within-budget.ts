import { type Context, createContext, runInContext } from 'node:vm'

let context: Context | undefined

const leastMs = 1_000
const mostMs = 4_000

/** The most milliseconds for parsing a source: ample for what people write, little for a short one made to be slow. */
export function parseBudgetMs(source: string): number {
  return Math.min(mostMs, leastMs + Math.ceil(source.length / 1_000))
}

/**
 * Runs `work`, which must be synchronous, and stops it after `budgetMs` milliseconds, wherever it is: some parsers need
 * exponential time for inputs that nobody writes but an adversary. Throws what `work` throws, and an `Error` whose code is
 * `ERR_SCRIPT_EXECUTION_TIMEOUT` when the time is over.
 *
 * @example
 * withinBudget(1_000, () => parse(source))
 */
export function withinBudget<Result>(budgetMs: number, work: () => Result): Result {
  context ??= createContext({ work: undefined })
  context['work'] = work
  try {
    return runInContext('work()', context, { timeout: budgetMs }) as Result
  } finally {
    context['work'] = undefined
  }
}
