// node recorded-cascades.mjs DIRECTORY [splits]: what a certificate is worth on recorded judgments of three models beside human preferences,
// over random halves: how much of the other half is decided, how well, at what price, and how often the risk of all pairs, from which the half was
// drawn, is above alpha. The directory is `result` of a clone of
// https://github.com/jaehunjung1/cascaded-selective-evaluation (Jung, Brahman and Choi, "Trust or Escalate", ICLR 2025), beside their own rule.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recorded } from '@jurist/experiment/calibrate'
import { calibrateCascade } from '@jurist/experiment/certify'

const [directory, splits = '200'] = process.argv.slice(2)
if (directory === undefined) throw new Error('Give the directory of the recorded judgments.')
/** Their prices, relative to the largest model. */
const models = { 'mistral-7b-instruct': 0.02, 'gpt-3.5-turbo': 0.05, 'gpt-4-turbo': 1 }
const names = Object.keys(models)
const delta = 0.1

/** Pairs that all models judged: whether the first answer is better, by the person and by each model. */
function pairs() {
  const merged = new Map()
  for (const name of names)
    for (const line of readFileSync(join(directory, `${name}.calibration.jsonl`), 'utf8')
      .trim()
      .split('\n')) {
      const { instruction, outputs, preferences, probs } = JSON.parse(line)
      const key = JSON.stringify([instruction, outputs])
      const pair = merged.get(key) ?? { label: preferences.human === 1 ? 'pass' : 'fail', said: {} }
      merged.set(key, pair)
      const confidence = Math.max(...probs)
      pair.said[name] = { said: probs[0] === confidence ? 'pass' : 'fail', confidence, costUsd: models[name] }
    }
  return [...merged.values()].filter(({ said }) => names.every((name) => name in said))
}

/** Mulberry32, so that the halves are the same each time. */
function random(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function halves(all, seed) {
  const uniform = random(seed)
  const drawn = all.map((pair) => [uniform(), pair]).sort(([one], [other]) => one - other)
  const shuffled = drawn.map(([, pair]) => pair)
  return [shuffled.slice(0, all.length / 2), shuffled.slice(all.length / 2)]
}

/** The threshold of each tier: one for all, or none. */
async function certified(labelled, alpha) {
  const items = labelled.map(({ label, said }, index) => ({
    id: `i${index}`,
    task: 'Better?',
    metadata: { label, said },
  }))
  const tiers = names.map((name) => ({ name, candidate: recorded(name) }))
  const { certificate } = await calibrateCascade({ name: 'recorded', items, tiers, alpha, delta })
  return certificate === null ? null : names.map(() => certificate.threshold)
}

/** The published rule: tier by tier on what is left, delta for each, and the strictest threshold where none holds. */
function published(labelled, alpha) {
  let left = labelled
  const thresholds = []
  for (const name of names) {
    const sure = left.map(({ said }) => said[name].confidence).sort((one, other) => other - one)
    const grid = Array.from({ length: 5_000 }, (_, step) => step / 4_999).filter((at) => at <= (sure[29] ?? -1))
    thresholds.push(grid.length === 0 ? (thresholds.at(-1) ?? 0) : publishedThreshold(left, name, grid, alpha))
    left = left.filter(({ said }) => said[name].confidence < thresholds.at(-1))
  }
  return thresholds
}

function publishedThreshold(left, name, grid, alpha) {
  const isBroken = (at) => {
    const decided = left.filter(({ said }) => said[name].confidence >= at)
    const errors = decided.filter(({ label, said }) => said[name].said !== label).length
    return atMost(errors, decided.length, alpha) > delta
  }
  const strictest = grid.at(-1)
  if (isBroken(strictest)) return strictest
  return grid.findLast((at) => isBroken(at - 1 / grid.length)) ?? grid[0]
}

/** P(Bin(n, p) <= k). Above delta, the upper bound of the risk is above p. */
function atMost(k, n, p) {
  let [term, sum] = [(1 - p) ** n, 0]
  for (let i = 0; i <= k; i += 1) {
    sum += term
    term *= ((n - i) / (i + 1)) * (p / (1 - p))
  }
  return sum
}

function applied(rest, thresholds) {
  let [decided, wrong, cost] = [0, 0, 0]
  for (const { label, said } of rest) {
    const tier = thresholds === null ? -1 : names.findIndex((name, at) => said[name].confidence >= thresholds[at])
    const ran = thresholds === null ? [] : tier < 0 ? names : names.slice(0, tier + 1)
    for (const name of ran) cost += models[name]
    if (tier < 0) continue
    decided += 1
    if (said[names[tier]].said !== label) wrong += 1
  }
  return { coverage: decided / rest.length, wrong, decided, cost: cost / rest.length }
}

const all = pairs()
console.log(`${all.length} pairs, ${splits} random halves, delta ${delta}\n`)
console.log(
  '| alpha | rule | decided | agreement of these | price, the largest model alone = 1 | nothing certified | risk of all pairs above alpha |',
)
console.log('|---|---|---|---|---|---|---|')
for (const alpha of [0.1, 0.15, 0.2, 0.25])
  for (const [rule, find] of Object.entries({ certificate: certified, published })) {
    const ends = []
    for (let seed = 1; seed <= Number(splits); seed += 1) {
      const [labelled, rest] = halves(all, seed)
      const thresholds = await find(labelled, alpha)
      const { wrong, decided } = applied(all, thresholds)
      ends.push({
        ...applied(rest, thresholds),
        isNone: thresholds === null,
        isBroken: decided > 0 && wrong / decided > alpha,
      })
    }
    const mean = (of) => ends.reduce((sum, end) => sum + of(end), 0) / ends.length
    const [right, decided] = [
      ends.reduce((sum, end) => sum + end.decided - end.wrong, 0),
      mean((end) => end.decided) * ends.length,
    ]
    const some = ends.filter(({ isNone }) => !isNone)
    const price = some.length === 0 ? '–' : (some.reduce((sum, { cost }) => sum + cost, 0) / some.length).toFixed(2)
    const broken = mean(({ isBroken }) => (isBroken ? 1 : 0))
    const figures = [mean((end) => end.coverage).toFixed(2), decided === 0 ? '–' : (right / decided).toFixed(3), price]
    console.log(
      `| ${alpha} | ${rule} | ${figures.join(' | ')} | ${mean((end) => (end.isNone ? 1 : 0)).toFixed(3)} | ${broken.toFixed(3)} |`,
    )
  }
