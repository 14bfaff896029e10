import { moduleFromSource } from './from-source.mjs'
import { row } from './measure.mjs'
import { randomFrom } from './random.mjs'

const statistics = 'packages/experiment/src/result/statistics'
const { answerTreeLevel } = await moduleFromSource(`${statistics}/answer-tree.ts`)
const { mcnemarExact } = await moduleFromSource(`${statistics}/paired-tests.ts`)
const { widenedBootstrap } = await moduleFromSource(`${statistics}/bootstrap.ts`)

const [looks, visibleItems, reserveItems, startPasses] = [20, 100, 100, 0.58]

/** Three ways to spend 5 % on the looks of a night: over the tree of answers, and two that look as good. */
const rules = {
  tree: (accepted) => answerTreeLevel({ looks, accepted }),
  'α/L after acceptances': (accepted) => (accepted === 0 ? answerTreeLevel({ looks, accepted }) : 0.05 / looks),
  'plain 5 %': () => 0.05,
}

const bars = new Map()

/** The least number of better items that a look accepts, when so many differ. */
function barOf(level, differing) {
  const key = `${level} ${differing}`
  let bar = bars.get(key)
  if (bar === undefined) {
    bar = differing + 1
    while (bar - 1 > differing / 2 && mcnemarExact(differing - bar + 1, bar - 1) / 2 <= level) bar -= 1
    bars.set(key, bar)
  }
  return bar
}

/** How many of so many items are in a share. */
function counted(random, among, share) {
  let found = 0
  for (let item = 0; item < among; item += 1) if (random.uniform() < share) found += 1
  return found
}

/** Each item passes or fails; of those that fail a share is mended, and of those that pass a share is spoilt. */
function changed(random, items, [mended, spoilt]) {
  return items.map((passes) => (random.uniform() < (passes ? spoilt : mended) ? 1 - passes : passes))
}

function differences(kept, candidate) {
  let [better, worse] = [0, 0]
  for (let item = 0; item < kept.length; item += 1) {
    if (candidate[item] > kept[item]) better += 1
    else if (candidate[item] < kept[item]) worse += 1
  }
  return { better, worse }
}

/**
 * A night: changes in a random order, some of which help. One that is not better on the visible items uses no look. A change without
 * effect makes as many items better as worse, of the tasks that the items are drawn from.
 *
 * @param greedy whether each change comes on top of the last one that was better on the visible items, accepted or not
 * @param churn the share of items that a change without effect makes better
 */
function night(random, { proposals, helping, effect = [0, 0], hidden, levelOf, greedy = false, churn = 0.05 }) {
  const passing = (count) => Uint8Array.from({ length: count }, () => Number(random.uniform() < startPasses))
  const start = {
    visible: passing(visibleItems),
    hidden: passing(hidden),
    reserve: passing(reserveItems),
    rate: startPasses,
  }
  let [kept, last, used, accepted, real, isFalse] = [start, start, 0, 0, 0, false]
  const helps = Array.from({ length: proposals }, (_, place) => place < helping)
  for (let end = proposals - 1; end > 0; end -= 1) {
    const other = Math.floor(random.uniform() * (end + 1))
    ;[helps[end], helps[other]] = [helps[other], helps[end]]
  }
  for (const isHelping of helps) {
    if (used >= looks) break
    const base = greedy ? last : kept
    const shares = isHelping
      ? [effect[0] / (1 - startPasses), effect[1] / startPasses]
      : [churn / (1 - base.rate), churn / base.rate]
    const visible = changed(random, base.visible, shares)
    const rehearsed = differences(kept.visible, visible)
    if (rehearsed.better <= rehearsed.worse) continue
    used += 1
    const candidate = {
      visible,
      hidden: changed(random, base.hidden, shares),
      reserve: changed(random, base.reserve, shares),
      rate: base.rate * (1 - shares[1]) + (1 - base.rate) * shares[0],
    }
    last = candidate
    const { better, worse } = differences(kept.hidden, candidate.hidden)
    if (better < barOf(levelOf(accepted), better + worse)) continue
    accepted += 1
    if (candidate.rate > kept.rate + 1e-9) real += 1
    else isFalse = true
    kept = candidate
  }
  return { accepted, real, isFalse, start, kept }
}

/**
 * The worst agent that we know. Each look tries another change with a tiny real gain, so that one which is accepted is truly
 * better, and was mostly lucky: the hidden items happen to have what it is good at. From then on the agent tries changes without any
 * gain that are good at the same, on items of several repetitions that can get better twice.
 */
function probing(random, { hidden, levelOf, gain = 0.03 }) {
  let lucky = 0
  for (let look = 0; look < looks; look += 1) {
    if (lucky === 0) {
      const better = counted(random, hidden, 0.5 + gain)
      if (better >= barOf(levelOf(0), hidden)) lucky = better
    } else {
      const better = lucky - counted(random, lucky, (2 * gain) / (1 + 2 * gain))
      if (better >= barOf(levelOf(1), hidden)) return { isFalse: true }
    }
  }
  return { isFalse: false }
}

/**
 * Attacks by what an agent can change without knowing the hidden items: it learns the visible ones by heart, which changes 2 % of the
 * hidden ones by chance; it changes one item at a time; or it piles such changes up.
 */
function attacking(random, { hidden, levelOf, way }) {
  let [better, differing, accepted] = [0, 0, 0]
  for (let look = 0; look < looks; look += 1) {
    if (way !== 'pile up') [better, differing] = [0, 0]
    const changes = way === 'learn by heart' ? counted(random, hidden, 0.02) : 1
    differing += changes
    better += counted(random, changes, 0.5)
    if (better < barOf(levelOf(accepted), differing)) continue
    ;[better, differing, accepted] = [0, 0, accepted + 1]
  }
  return { isFalse: accepted > 0 }
}

const ways = ['learn by heart', 'one item at a time', 'pile up']

/** How many agents of each attack have anything accepted. */
export function acceptedAttacks(agents = 100) {
  return Object.entries(rules).map(([rule, levelOf]) => {
    const nights = ways.map((way) => simulated(agents, attacking, { hidden: 200, levelOf, way }))
    return { rule, accepted: nights.map((those) => those.filter(({ isFalse }) => isFalse).length) }
  })
}

const shareOf = (nights, holds) => nights.filter(holds).length / nights.length
const percent = (share) => `${(100 * share).toFixed(1)} %`

function simulated(simulations, play, given, seed = 43) {
  const random = randomFrom(seed)
  return Array.from({ length: simulations }, () => play(random, given))
}

/** How often a night accepts anything that is no better, for agents that try to make it. */
export function falseAcceptances(simulations = 10_000) {
  const idle = { proposals: 200, helping: 0, hidden: 200 }
  const agents = [
    ['200 changes without effect', night, idle],
    ['the same, of which each makes 20 % better and worse', night, { ...idle, churn: 0.2 }],
    ['the same, each on top of the one before', night, { ...idle, churn: 0.1, greedy: true }],
    ['probes with a tiny gain, then the luck of one again', probing, { hidden: 200 }],
  ]
  return Object.entries(rules).flatMap(([rule, levelOf]) =>
    agents.map(([agent, play, given]) => {
      const share = shareOf(simulated(simulations, play, { ...given, levelOf }), ({ isFalse }) => isFalse)
      return { rule, agent, share }
    }),
  )
}

/**
 * A night whose changes are independent of each other: they come in a random order, an item differs by the effect of the change alone,
 * every change that helps makes as many items better whatever was kept before, one that does not makes 5 % better and 5 % worse.
 */
function independent(random, { proposals, helping, effect, hidden, levelOf, churn = 0.05 }) {
  const helps = Array.from({ length: proposals }, (_, place) => ({
    isHelping: place < helping,
    turn: random.uniform(),
  }))
  let [used, accepted, real] = [0, 0, 0]
  const drawn = (items, [better, worse]) => {
    const found = { better: 0, worse: 0 }
    for (let item = 0; item < items; item += 1) {
      const draw = random.uniform()
      if (draw < better) found.better += 1
      else if (draw < better + worse) found.worse += 1
    }
    return found
  }
  for (const { isHelping } of helps.sort((one, other) => one.turn - other.turn)) {
    if (used >= looks) break
    const shares = isHelping ? effect : [churn, churn]
    const rehearsed = drawn(visibleItems, shares)
    if (rehearsed.better <= rehearsed.worse) continue
    used += 1
    const { better, worse } = drawn(hidden, shares)
    if (better < barOf(levelOf(accepted), better + worse)) continue
    accepted += 1
    if (isHelping) real += 1
  }
  return { real }
}

/** How many nights keep at least one true gain, and at least two. */
export function keptGains(simulations = 3_000) {
  const cases = [
    [60, [0.25, 0.05]],
    [60, [0.15, 0.05]],
    [200, [0.15, 0.05]],
  ]
  return cases.flatMap(([proposals, effect]) =>
    [200, 100].map((hidden) => {
      const nights = simulated(simulations, independent, {
        proposals,
        helping: 20,
        effect,
        hidden,
        levelOf: rules.tree,
      })
      return {
        proposals,
        effect,
        hidden,
        one: shareOf(nights, ({ real }) => real >= 1),
        two: shareOf(nights, ({ real }) => real >= 2),
      }
    }),
  )
}

/** How often the interval of the reserve holds the true gain, and that of the hidden items, which decided. */
export function coverage(simulations = 1_000) {
  const given = { proposals: 60, helping: 20, effect: [0.15, 0.05], hidden: 200, levelOf: rules.tree }
  const nights = simulated(simulations, night, given).filter(({ accepted }) => accepted > 0)
  const holding = (part) =>
    shareOf(nights, ({ start, kept }) => {
      const gains = Array.from(kept[part], (passes, item) => passes - start[part][item])
      const interval = widenedBootstrap(gains, { resamples: 1_000 })
      const gain = kept.rate - start.rate
      return interval !== null && interval.low <= gain && gain <= interval.high
    })
  return { reserve: holding('reserve'), hidden: holding('hidden') }
}

export function ratchet() {
  const { reserve, hidden } = coverage()
  return [
    ...falseAcceptances().map(({ rule, agent, share }) =>
      rule === 'tree'
        ? row(`nights with a false acceptance: ${agent}`, percent(share), 'at most 5 %', share <= 0.05)
        : row(`${agent}, the level ${rule}`, percent(share), '–', true),
    ),
    ...acceptedAttacks().map(({ rule, accepted }) =>
      row(
        `of 100 agents each that learn visible items by heart, change one item at a time, pile such changes up: accepted, ${rule}`,
        accepted.join(', '),
        rule === 'tree' ? 'none' : '–',
        rule !== 'tree' || accepted.every((count) => count === 0),
      ),
    ),
    ...keptGains().map(({ proposals, effect, hidden: items, one, two }) =>
      row(
        `${proposals} changes, 20 of them +${Math.round(100 * (effect[0] - effect[1]))} points, ${items} hidden items: nights that keep one, two`,
        `${percent(one)}, ${percent(two)}`,
        '–',
        true,
      ),
    ),
    row(
      'the interval of the reserve holds the gain; that of the hidden items',
      `${percent(reserve)}; ${percent(hidden)}`,
      'at least 93 %',
      reserve >= 0.93,
    ),
  ]
}
