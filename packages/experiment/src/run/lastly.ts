import { isThenable, type Soon, soon } from '@jurist/core/internal'

/**
 * Does some work, and `after` when it has ended, however it did: `finally` for what may be there at once. What `after` throws
 * counts.
 */
export function lastly<Value>(work: () => Soon<Value>, after: () => Soon<void>): Soon<Value> {
  const end = (value: Value): Soon<Value> => soon(after(), () => value)
  const fail = (thrown: unknown): Soon<Value> =>
    soon(after(), () => {
      throw thrown
    })
  let given: Soon<Value>
  try {
    given = work()
  } catch (thrown) {
    return fail(thrown)
  }
  return isThenable(given) ? given.then(end, fail) : end(given)
}
