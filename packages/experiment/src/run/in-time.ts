/** Waits for a promise, `ms` at most: whether it was in time. Rejects as the promise does; a late failure is ignored. */
export function inTime(promise: PromiseLike<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms)
    promise.then(
      () => {
        clearTimeout(timer)
        resolve(true)
      },
      (thrown: unknown) => {
        clearTimeout(timer)
        reject(thrown)
      },
    )
  })
}
