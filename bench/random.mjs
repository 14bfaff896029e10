/**
 * Random numbers from a seed: uniform by mulberry32, normal by Box and Muller 1958, gamma and beta by Marsaglia and Tsang
 * 2000.
 */
export function randomFrom(seed) {
  let state = seed | 0
  function uniform() {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  function gamma(shape) {
    if (shape < 1) return gamma(shape + 1) * (1 - uniform()) ** (1 / shape)
    const d = shape - 1 / 3
    for (;;) {
      const x = normal()
      const v = (1 + x / Math.sqrt(9 * d)) ** 3
      if (v > 0 && Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
    }
  }
  function beta(a, b) {
    const x = gamma(a)
    return x / (x + gamma(b))
  }
  return { uniform, normal, beta }
}
