import { isThenable, type Soon, soon } from '@jurist/core'

/**
 * Does some work, and `after` when it has ended, however it did: `finally` for what may be there at once. What `after` throws
 * counts.
 */
export function lastly<Value>(work: () => Soon<Value>, after: () => Soon<void>): Soon<Value> {
  let given: Soon<Value>
  try {
    given = work()
  } catch (thrown) {
    return soon(after(), () => {
      throw thrown
    })
  }
  return isThenable(given) ? given.finally(after) : soon(after(), () => given)
}
