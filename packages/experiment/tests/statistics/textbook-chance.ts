/**
 * Intervals, errors and tests as textbooks define them, counted out in whole numbers or integrated step by step: a second
 * opinion on those of the package, with which they share no line.
 */

/** How many ways to choose k of n, exactly. */
export function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n
  let ways = 1n
  for (let i = 0n; i < BigInt(k); i += 1n) ways = (ways * (BigInt(n) - i)) / (i + 1n)
  return ways
}

/** A fraction of whole numbers as a number, to about 15 digits. */
export function fraction(part: bigint, whole: bigint): number {
  const digits = 10n ** 30n
  return Number((part * digits) / whole) / 1e30
}

/** The exact two-sided sign test. */
export function slowMcnemar(worse: number, better: number): number {
  const n = worse + better
  let ways = 0n
  for (let i = 0; i <= Math.min(worse, better); i += 1) ways += choose(n, i)
  return Math.min(1, fraction(2n * ways, 2n ** BigInt(n)))
}

/** The probability of at most k of n. */
export function slowBinomial(k: number, n: number, p: number): number {
  let sum = 0
  for (let i = 0; i <= k; i += 1) sum += Number(choose(n, i)) * p ** i * (1 - p) ** (n - i)
  return sum
}

/** The root of a function that falls from `low` to `high`. */
export function root(f: (x: number) => number, low: number, high: number): number {
  let [from, to] = [low, high]
  for (let step = 0; step < 200; step += 1) {
    const middle = (from + to) / 2
    if (f(middle) > 0) from = middle
    else to = middle
  }
  return (from + to) / 2
}

/** Simpson's rule. */
function integral(f: (x: number) => number, from: number, to: number, steps = 2_000): number {
  const width = (to - from) / steps
  let sum = f(from) + f(to)
  for (let i = 1; i < steps; i += 1) sum += (i % 2 === 1 ? 4 : 2) * f(from + i * width)
  return (sum * width) / 3
}

/** The probability that a normal value lies below x. */
function slowNormal(x: number): number {
  return 0.5 + integral((t) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI), 0, x)
}

/** The probability that a value of Student's t distribution lies below t: its density, integrated by its angle. */
export function slowStudent(t: number, degrees: number): number {
  const density = (angle: number) => Math.cos(angle) ** (degrees - 1)
  const half = integral(density, 0, Math.PI / 2, 20_000)
  return 0.5 + integral(density, 0, Math.atan(t / Math.sqrt(degrees)), 20_000) / (2 * half)
}

/** Wilson's interval: the rates at which the observed one lies z standard errors away. */
export function slowWilson(k: number, n: number, level: number): readonly [number, number] {
  const z = root((x) => (1 + level) / 2 - slowNormal(x), 0, 10)
  const away = (p: number) => Math.abs(k / n - p) - z * Math.sqrt((p * (1 - p)) / n)
  return [k === 0 ? 0 : root(away, 0, k / n), k === n ? 1 : root((p) => -away(p), k / n, 1)]
}

/** The clustered error: every two residuals of one cluster multiplied. */
export function slowClustered(values: readonly number[], clusters: readonly string[], correction: boolean): number {
  const n = values.length
  const mean = values.reduce((a, b) => a + b, 0) / n
  let sum = 0
  for (const [i, one] of values.entries())
    for (const [j, two] of values.entries()) if (clusters[i] === clusters[j]) sum += (one - mean) * (two - mean)
  const count = new Set(clusters).size
  // A sum that cancels may end just below zero.
  return Math.sqrt((Math.max(0, sum) / n ** 2) * (correction ? count / (count - 1) : 1))
}

/** The generator of the bootstrap in whole numbers, every step cut to 32 bits. */
function* draws(seed: number): Generator<number, never> {
  const cut = (x: bigint) => BigInt.asUintN(32, x)
  let s = cut(BigInt(seed))
  for (;;) {
    s = cut(s + 0x6d2b79f5n)
    let t = cut((s ^ (s >> 15n)) * (s | 1n))
    t = cut(t + cut((t ^ (t >> 7n)) * (t | 61n))) ^ t
    yield Number(cut(t ^ (t >> 14n))) / 2 ** 32
  }
}

/** The percentile bootstrap. */
export function slowBootstrap(
  values: readonly number[],
  { level, resamples, seed }: { readonly level: number; readonly resamples: number; readonly seed: number },
): readonly [number, number] {
  const next = draws(seed)
  const means = Array.from({ length: resamples }, () => {
    const drawn = values.map(() => values[Math.floor(next.next().value * values.length)] as number)
    return drawn.reduce((a, b) => a + b, 0) / values.length
  }).sort((a, b) => a - b)
  const at = (p: number) => {
    const place = (resamples - 1) * p
    const [below, above] = [means[Math.floor(place)] as number, means[Math.ceil(place)] as number]
    return below + (place - Math.floor(place)) * (above - below)
  }
  return [at((1 - level) / 2), at((1 + level) / 2)]
}
