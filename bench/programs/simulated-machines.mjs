// simulated-machines.mjs SEED: how long 50 machines with 8 trials at a time take for 10,000 items × 5 repetitions that come from
// one queue, beside the shortest possible time. Prints one JSON object.
import { randomFrom } from '../random.mjs'

const [machines, slots, items, repetitions] = [50, 8, 10_000, 5]
const { normal } = randomFrom(Number(process.argv[2] ?? 1))

/** Items take 4 minutes in the middle, half as long to twice as long most of the time; trials of one differ; 1 to 30 minutes. */
const trials = Array.from({ length: items }, () => 4 * Math.exp(0.8 * normal())).flatMap((usual) =>
  Array.from({ length: repetitions }, () => ({
    usual,
    minutes: Math.min(30, Math.max(1, usual * Math.exp(0.3 * normal()))),
  })),
)

/** The time until the last trial has ended, when the first slot that is free takes the next one. */
function makespan(inOrder) {
  const free = new Float64Array(machines * slots)
  for (const { minutes } of inOrder) {
    let first = 0
    for (let slot = 1; slot < free.length; slot++) if (free[slot] < free[first]) first = slot
    free[first] += minutes
  }
  return Math.max(...free)
}

/** What people declare: the first of these minutes that is at least four times the usual. */
const timeoutOf = ({ usual }) => [10, 30, 60].find((minutes) => minutes >= 4 * usual) ?? 120

const total = trials.reduce((sum, { minutes }) => sum + minutes, 0)
const shortest = Math.max(total / (machines * slots), ...trials.map(({ minutes }) => minutes))
console.log(
  JSON.stringify({
    shortestHours: shortest / 60,
    inOrder: makespan(trials) / shortest,
    byTimeouts: makespan([...trials].sort((a, b) => timeoutOf(b) - timeoutOf(a))) / shortest,
    // An earlier run has measured the items, not these trials.
    longestFirst: makespan([...trials].sort((a, b) => b.usual - a.usual)) / shortest,
  }),
)
