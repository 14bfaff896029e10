import { deadline } from './deadline.js'

/** Waits for a promise, `ms` at most: whether it was in time. Rejects as the promise does; a late failure is ignored. */
export function inTime(promise: PromiseLike<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const ended = deadline(ms, () => resolve(false))
    promise.then(
      () => {
        ended()
        resolve(true)
      },
      (thrown: unknown) => {
        ended()
        reject(thrown)
      },
    )
  })
}
