import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { seededRandom } from '@jurist/experiment/internal'
import type { TrialName } from '@jurist/experiment/internal/results'
import type { LeasedTrial, PlannedRun, TrialQueue } from '@jurist/experiment/store-kit'
import { anItem } from '@jurist/experiment/testing'
import { type HistoryLog, historyLog } from './history-log.js'
import type { World } from './history-world.js'
import { aRun } from './planned-run.js'

/** What a history had in it, and what was wrong. */
export interface History {
  readonly seed: number
  readonly trials: number
  /** Trials that another worker took over. */
  readonly taken: number
  /** Results that came too late, and were refused. */
  readonly late: number
  readonly violations: readonly string[]
}

interface Scene {
  readonly world: World
  readonly run: PlannedRun & { readonly trials: readonly TrialName[] }
  readonly log: HistoryLog
  readonly random: () => number
  /** A directory for the files of trials. */
  readonly directory: string
  /** Whether the history is over. */
  isOver: boolean
}

/**
 * One history of a run: workers that die, pause past their leases, give trials back, renew late and store twice; connections
 * that break before and after statements; two submitters, a stop and another plan; jobs that are delivered twice. Then a
 * worker that does nothing wrong runs what is left, and everything is checked.
 */
export async function runHistory(world: World, seed: number): Promise<History> {
  const { uniform: random } = seededRandom(seed)
  const run = aRun(3 + Math.floor(random() * 10))
  const directory = await mkdtemp(join(tmpdir(), 'jurist-history-'))
  const scene: Scene = { world, run, log: historyLog(), random, directory, isOver: false }
  try {
    const following = follow(scene)
    const thrown = await act(scene).catch((problem: unknown) => [`something was thrown: ${problem}`])
    scene.isOver = true
    const seen = await following
    return {
      seed,
      trials: run.trials.length,
      ...figures(scene),
      violations: [...thrown, ...(await violations(scene, seen))],
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** What happens in a history. Returns nothing: what goes wrong is thrown. */
async function act(scene: Scene): Promise<readonly string[]> {
  const { world, run, random } = scene
  await Promise.all([0, 1].map((index) => world.queue(index).plan(run, run.trials)))
  const workers = Array.from({ length: 2 + Math.floor(random() * 3) }, (_, index) => work(scene, index))
  await Promise.all([disturb(scene), ...workers])
  await drain(scene)
  return []
}

const figures = ({ log }: Scene) => ({ taken: log.taken(), late: log.late() })

/** A worker that takes a few turns and then stays silent. */
async function work(scene: Scene, index: number): Promise<void> {
  const { world, run, log, random } = scene
  const queue = world.queue(index)
  const turns = 1 + Math.floor(random() * 6)
  for (let turn = 0; turn < turns; turn += 1) {
    const max = 1 + Math.floor(random() * 3)
    const leased = await queue.lease({ worker: `worker-${index}-${turn}`, runs: [run.manifest.id], max })
    log.leased(leased)
    await Promise.all(leased.map((trial) => perform(scene, queue, trial)))
    await setTimeout(random() * 20)
  }
}

/** What a worker may do with a trial. */
async function perform(scene: Scene, queue: TrialQueue, trial: LeasedTrial): Promise<void> {
  const { world, random } = scene
  const fate = random()
  await setTimeout(random() * 10)
  // It dies.
  if (fate < 0.2) return
  // It is stopped past its lease, and continues.
  if (fate < 0.5) {
    await world.silence(trial.lease)
    await setTimeout(20 + random() * 100)
  }
  if (fate > 0.9) return await queue.giveBack(trial.lease, random() < 0.5 ? 0 : random() * 30)
  if (random() < 0.5) await queue.renew([trial.lease])
  await Promise.all(Array.from({ length: random() < 0.2 ? 2 : 1 }, () => store(scene, queue, trial)))
}

/** Stores a result that names its lease, with a workspace that does so too. */
async function store({ log, directory, random }: Scene, queue: TrialQueue, trial: LeasedTrial): Promise<void> {
  const { itemId, repetition, lease } = trial
  const workspacePath = `workspaces/${itemId}-${repetition}`
  const own = join(directory, lease)
  await mkdir(join(own, workspacePath), { recursive: true })
  await writeFile(join(own, workspacePath, 'lease'), lease)
  const passed = random() < 0.7
  const result = { itemId, repetition, passed, workspacePath, costUsd: 1, metadata: { lease } }
  log.storing(trial)(await queue.store(lease, anItem(result), own))
}

/** What happens around the workers. */
async function disturb({ world, run, random }: Scene): Promise<void> {
  const { id } = run.manifest
  const queue = world.queue(Math.floor(random() * 10))
  await setTimeout(random() * 60)
  if (random() < 0.4) await world.deliverTwice(id)
  if (random() < 0.3) await queue.plan(run, run.trials)
  if (random() < 0.2) {
    await queue.stop(id, random() < 0.5 ? 'cancelled' : 'bail', 'on purpose')
    await setTimeout(random() * 30)
    // Refused while trials of the stopped run are still held: then it is planned again later.
    await queue.plan(run, run.trials)
  }
  if (random() < 0.4) await world.deliverTwice(id)
}

/** Runs what is left of the run. */
async function drain(scene: Scene): Promise<void> {
  const { world, run, log } = scene
  const { id } = run.manifest
  for (let turn = 0; turn < 500; turn += 1) {
    if ((await world.clean.progress(id)) === undefined) {
      await world.clean.plan(run, run.trials)
      if ((await world.clean.progress(id)) === undefined) return
    }
    await world.age(id)
    const leased = await world.clean.lease({ worker: 'last', runs: [id], max: 100 })
    log.leased(leased)
    for (const trial of leased) await store(scene, world.clean, trial)
    if (leased.length === 0) await setTimeout(20)
  }
}

/** Reads results as they are stored: which trials it has seen. */
function follow(scene: Scene): Promise<readonly string[]> {
  return scene.world.follow(scene.run.manifest.id, () => scene.isOver)
}

async function violations({ world, run, log, directory }: Scene, seen: readonly string[]): Promise<readonly string[]> {
  const { id, experimentName } = run.manifest
  const names = run.trials.map(({ itemId, repetition }) => `${itemId} ${repetition}`)
  const result = await world.store.load(id)
  const items = result?.items ?? []
  const to = join(directory, 'fetched')
  await world.store.fetchFiles?.(id, to)
  const files: string[] = []
  for (const { workspacePath, metadata } of items) {
    const lease = await readFile(join(to, experimentName, id, workspacePath ?? '', 'lease'), 'utf8').catch(
      () => 'nothing',
    )
    if (lease !== metadata['lease']) files.push(`${workspacePath} has the files of ${lease}`)
  }
  return [
    // One that was stopped may have ended with its last trial.
    ...(['completed', 'stopped', 'interrupted'].includes(String(result?.status))
      ? []
      : [`the run is ${result?.status}`]),
    ...log.violations(names, items),
    ...files,
    ...([...seen].sort().join() === [...names].sort().join() ? [] : [`the follower saw ${seen.join()}`]),
    ...(await world.leftovers(id)),
  ]
}
