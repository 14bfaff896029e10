import { createHash } from 'node:crypto'
import { newRunId } from '@jurist/experiment/internal/results'
import type { RunRecord } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { chance } from './chance.js'

/** What a night of the sample is made of. */
interface Night {
  readonly passRate: number
  readonly costUsd: number
  readonly minutes: number
}

const [items, repetitions] = [40, 3]
const firstNight = Date.UTC(2026, 8, 24, 2, 0)
const night = 24 * 60 * 60 * 1_000

/** The nights with the two faults: six of a pass rate of about 40 %, and all after a change of the model, which doubled the cost. */
export const faults = { fewPasses: [30, 36], doubledCost: 44 } as const

/** Sixty nights of one experiment, oldest first: one variant, forty items, three repetitions. Returns the ids of the runs. */
export async function saveNights(store: ResultStore, count = 60): Promise<readonly string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const run = nightOf(index)
    ids.push(run.id)
    await store.save(run)
  }
  return ids
}

function nightOf(index: number) {
  const startedAt = new Date(firstNight + index * night + Math.round(chance(`start ${index}`) * 600_000))
  const isBroken = index >= faults.fewPasses[0] && index < faults.fewPasses[1]
  const isDear = index >= faults.doubledCost
  const trials = trialsOf(`night ${index}`, {
    passRate: isBroken ? 0.4 : 0.8,
    costUsd: isDear ? 0.36 : 0.18,
    minutes: 2.6,
  })
  const durationMs = 31 * 60_000 + Math.round(chance(`time ${index}`) * 240_000)
  const model = isDear ? 'large-2' : 'large-1'
  const members = index < 9 ? ['build', 'tests'] : ['build', 'tests', 'style']
  return aResult({
    id: newRunId(startedAt),
    experimentName: 'maintain-shop',
    startedAt: startedAt.toISOString(),
    endedAt: new Date(startedAt.getTime() + durationMs).toISOString(),
    durationMs,
    code: { gitCommit: hash(`commit ${Math.floor(index / 2)}`).slice(0, 40), dirty: false, dirtyFiles: [] },
    conditions: { model, prompt: hash(index < 20 ? 'one' : 'two'), jury: members.join(), dataset: 'a' },
    jury: juryOf(members),
    baseline: 'latest',
    items: trials,
  })
}

/** A sweep: a session of six variants of another experiment, one of which is beaten by others in cost and pass rate. */
export async function saveSweep(store: ResultStore): Promise<readonly string[]> {
  const variants: Readonly<Record<string, Night>> = {
    'large, high effort': { passRate: 0.86, costUsd: 0.62, minutes: 6.4 },
    large: { passRate: 0.81, costUsd: 0.31, minutes: 3.8 },
    'medium, high effort': { passRate: 0.7, costUsd: 0.4, minutes: 4.9 },
    medium: { passRate: 0.66, costUsd: 0.14, minutes: 2.2 },
    small: { passRate: 0.38, costUsd: 0.03, minutes: 0.9 },
    'small, with tools': { passRate: 0.52, costUsd: 0.06, minutes: 1.6 },
  }
  const ids: string[] = []
  for (const [index, [variant, figures]] of Object.entries(variants).entries()) {
    const startedAt = new Date(firstNight + 58.4 * night + index * 1_000)
    const name = variant.replaceAll(', ', '-').replaceAll(' ', '-')
    const run = aResult({
      id: newRunId(startedAt),
      experimentName: 'choose-a-model',
      variant: name,
      session: '20261121-113600',
      startedAt: startedAt.toISOString(),
      endedAt: new Date(startedAt.getTime() + 900_000).toISOString(),
      durationMs: Math.round(figures.minutes * 12 * 60_000),
      conditions: { model: name },
      items: trialsOf('sweep', figures),
    })
    ids.push(run.id)
    await store.save(run)
  }
  return ids
}

/** Whether a trial passes depends on how hard its item is and on luck; what it costs and takes, on the item too. */
function trialsOf(seed: string, { passRate, costUsd, minutes }: Night) {
  return Array.from({ length: items * repetitions }, (_, index) => {
    const [item, repetition] = [Math.floor(index / repetitions), 1 + (index % repetitions)]
    const itemId = `issue-${101 + item}`
    const [hard, luck] = [chance(`hard ${itemId}`), chance(`${seed} ${itemId} ${repetition}`)]
    const passed = 0.55 * hard + 0.45 * luck < passRate * 0.62 + 0.19
    const size = 0.5 + chance(`size ${itemId}`) * 0.8 + chance(`${seed} cost ${itemId} ${repetition}`) * 0.2
    const agentMs = Math.round(size * minutes * 60_000)
    return anItem({
      itemId,
      repetition,
      passed,
      judged: passed ? 'pass' : 'fail',
      costUsd: Math.round(size * costUsd * 10_000) / 10_000,
      judgeCostUsd: 0.012,
      agentMs,
      durationMs: agentMs + 9_000,
      scores: { build: 1, tests: passed ? 1 : 0 },
    })
  })
}

function juryOf(members: readonly string[]): NonNullable<RunRecord['jury']> {
  const judges = members.map((name) => ({ path: `/${name}`, name, kind: 'deterministic', weight: 1 }))
  return { name: 'shop', fingerprint: hash(members.join()), judges, tiers: null }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
