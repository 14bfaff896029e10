/** The result of the first call that succeeds, out of at most `attempts`; else throws the last error. */
export async function retry<T>(task: (attempt: number) => Promise<T>, attempts = 3): Promise<T> {
  let last: unknown
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await task(attempt)
    } catch (error) {
      last = error
    }
  }
  throw last
}
