/** The longest delay, in milliseconds, that `setTimeout` accepts. A longer one overflows and fires immediately. */
export const longestTimerMs: number = 2 ** 31 - 1

/**
 * Calls `action` after `ms` milliseconds, but never if `ms` exceeds `longestTimerMs`. Returns a function that cancels
 * the call.
 */
export function startTimer(ms: number, action: () => void): () => void {
  if (ms > longestTimerMs) return () => {}
  const timer = setTimeout(action, ms)
  return () => clearTimeout(timer)
}

/**
 * Waits at most `ms` milliseconds for `work`. After that, it resolves to the result of `late`, or rejects with what
 * `late` throws, and ignores the result of the work.
 */
export function withTimeout<Value, Late>(
  work: PromiseLike<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  return new Promise((resolve, reject) => {
    const cancel = startTimer(ms, () => {
      try {
        resolve(late())
      } catch (thrown) {
        reject(thrown)
      }
    })
    work.then(resolve, reject).then(cancel)
  })
}
