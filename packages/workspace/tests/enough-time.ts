/**
 * Runs a command that its time limit ends, and again with more time when a busy machine had not even begun it by then. Returns
 * what the last run gave, and its limit.
 */
export async function withEnoughTime<Result>(
  leastMs: number,
  run: (timeoutMs: number) => Promise<Result>,
  hasBegun: (result: Result) => boolean | Promise<boolean>,
): Promise<readonly [result: Result, timeoutMs: number]> {
  for (let timeoutMs = leastMs; ; timeoutMs *= 8) {
    const result = await run(timeoutMs)
    if ((await hasBegun(result)) || timeoutMs > 100_000) return [result, timeoutMs]
  }
}
