import { changePoint } from '@jurist/experiment/compare'
import { row } from './measure.mjs'
import { randomFrom } from './random.mjs'

/** Pass rates before and after, and the mean trials of a search that found its way in simulations by an independent program. */
const losses = [
  [1, 0, 19],
  [0.95, 0.3, 38],
  [0.9, 0.6, 145],
  [0.8, 0.6, 370],
]

const histories = 300

/** One search for a regression among 32 suspects: what it found, and after how many trials. */
function search(before, after, { uniform }) {
  const broken = 1 + Math.floor(uniform() * 32)
  const commits = Array.from({ length: 33 }, () => ({ prepared: false, items: { item: { passed: 0, decided: 0 } } }))
  let trials = 0
  const tryAt = (commit) => {
    const counts = commits[commit].items.item
    counts.passed += uniform() < (commit < broken ? before : after) ? 1 : 0
    counts.decided += 1
    commits[commit].prepared = true
    trials += 1
  }
  for (const end of [0, 32]) for (let trial = 0; trial < 5; trial += 1) tryAt(end)
  for (;;) {
    const { none, groups, next } = changePoint({ commits })
    const group = groups.find(({ posterior }) => posterior >= 0.95)
    if (group !== undefined) return { found: group.first, broken, trials }
    if (none >= 0.95 || trials >= 1_500) return { found: null, broken, trials }
    tryAt(next.commit)
  }
}

/** Whether searches find the commit, and what they cost. */
export function bisect() {
  const random = randomFrom(7)
  const all = { right: 0, found: 0 }
  const rows = losses.map(([before, after, expected]) => {
    const ends = Array.from({ length: histories }, () => search(before, after, random))
    const found = ends.filter((end) => end.found !== null)
    const right = found.filter((end) => end.found === end.broken).length
    const mean = ends.reduce((sum, { trials }) => sum + trials, 0) / ends.length
    all.right += right
    all.found += found.length
    return row(
      `bisect: 32 suspects, pass rate ${before} → ${after}, ${histories} histories`,
      `right ${right} of ${found.length} found, ${Math.round(mean)} trials on average`,
      `right in 92 %, at most ${Math.round(1.2 * expected)} trials`,
      right / found.length >= 0.92 && mean <= 1.2 * expected,
    )
  })
  const { right, found } = all
  return [
    ...rows,
    row('bisect: all of these', `right ${right} of ${found} found`, 'right in 95 %', right / found >= 0.95),
  ]
}
