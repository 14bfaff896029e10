export type Job<Value> = () => Promise<Value>

/** A queue whose jobs run one after the other; each caller gets the result or the error of its own job. */
export function createQueue(): { add<Value>(job: Job<Value>): Promise<Value> } {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add(job) {
      const result = last.then(job)
      last = result.catch(() => undefined)
      return result
    },
  }
}
