/** Seeded random numbers. */
interface Random {
  /** Uniform in [0, 1). */
  readonly uniform: () => number
  /** A value of the gamma distribution with this shape, which is above 0, and scale 1. */
  readonly gamma: (shape: number) => number
}

/** The generator mulberry32: 32 bits of state, the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  function uniform(): number {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  // Box and Muller 1958; 1 − u is never 0.
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  /** Marsaglia and Tsang 2000, ACM Transactions on Mathematical Software 26:363; below a shape of 1 by their section 6. */
  function gamma(shape: number): number {
    if (shape === 1) return -Math.log(1 - uniform())
    if (shape < 1) return gamma(shape + 1) * (1 - uniform()) ** (1 / shape)
    const d = shape - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = normal()
      const v = (1 + c * x) ** 3
      if (v > 0 && Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
    }
  }
  return { uniform, gamma }
}

/** The values in an order that the seed decides: Fisher and Yates, as in Durstenfeld 1964. */
export function shuffled<Value>(values: readonly Value[], seed: number): readonly Value[] {
  const { uniform } = seededRandom(seed)
  const mixed = [...values]
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(uniform() * (last + 1))
    const [one, two] = [mixed[last], mixed[other]]
    if (one === undefined || two === undefined) continue
    mixed[last] = two
    mixed[other] = one
  }
  return mixed
}

/** `count` ids by a seeded shuffle, in their original order. */
export function sampleOf(ids: readonly string[], count: number, seed: number): readonly string[] {
  const { uniform } = seededRandom(seed)
  const keyed = ids.map((id) => ({ id, key: uniform() })).sort((a, b) => a.key - b.key)
  const taken = new Set(keyed.slice(0, count).map(({ id }) => id))
  return ids.filter((id) => taken.has(id))
}
