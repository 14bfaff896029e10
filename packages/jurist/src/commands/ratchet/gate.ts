import { appendFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentEvent } from '@jurist/experiment'
import { answerTreeLevel } from '@jurist/experiment/compare'
import { gainPValue } from '@jurist/experiment/internal'
import { fileStore, type ResultStore } from '@jurist/experiment/store'
import { repositoryAround } from '@jurist/workspace/internal'
import type { Host } from '../../command-kit/host.js'
import { checkWritable, resultsOf } from '../../command-kit/results-store.js'
import type { Entry } from './log.js'
import { checkPinned, type Ratchet, referenceOf, standingOf, treeAlpha } from './ratchet-state.js'
import { ratchetRefused } from './refused.js'
import { cannotReach, experimentIn, type Measured, measured, type Pairs, pairsOf } from './trials.js'
import {
  commitVersion,
  otherChanges,
  placeVersion,
  pointTo,
  sweepVersions,
  type Version,
  versionIn,
  versionPlace,
} from './versions.js'

/** A ratchet in use, with its lock held. */
export interface Gate extends Ratchet {
  readonly visible: ResultStore
  /** Where the project keeps its results; `undefined`: not in files. */
  readonly results: string | undefined
  /** Where the trials of hidden and reserve items are kept. */
  readonly hidden: ResultStore
  readonly signal: AbortSignal
  readonly onEvent?: (event: ExperimentEvent) => void
}

/**
 * Checks what judges, and completes what a command left that was killed.
 *
 * @throws `ratchet-refused`
 */
export async function gateOf(
  host: Host,
  ratchet: Ratchet,
  signal: AbortSignal,
  onEvent?: Gate['onEvent'],
): Promise<Gate> {
  await checkPinned(ratchet)
  const { state, plan } = ratchet
  const { start, kept } = standingOf(ratchet)
  await sweepVersions(state, keptTrees(ratchet))
  await placeVersion(state, await versionIn(join(state, 'tree'), plan.editable), plan.editable)
  if (kept.tree !== start.tree) await placeVersion(state, await keptVersion(ratchet, kept.tree), plan.editable)
  await pointTo(plan.project, referenceOf(plan), kept.commit ?? plan.commit)
  const { loaded } = await experimentIn(plan, versionPlace(state, start.tree))
  // The config of the project, which the agent may have changed, is not loaded.
  const directory = join(plan.project, plan.config, '..')
  const results = await resultsOf({ ...host, configIfAny: async () => ({ ...loaded, directory }) })
  await checkWritable(results)
  return {
    ...{ ...ratchet, visible: results.store, results: results.directory, hidden: hiddenStore(state), signal },
    ...(onEvent === undefined ? {} : { onEvent }),
  }
}

/**
 * Reads the files of a version that the ratchet keeps.
 *
 * @throws `ratchet-refused` when they were changed
 */
export async function keptVersion({ plan, state }: Ratchet, tree: string): Promise<Version> {
  const place = versionPlace(state, tree)
  const version = await versionIn(place, plan.editable)
  if (version.tree === tree) return version
  throw ratchetRefused(plan.name, `The files in ${place}, a version that was kept, were changed. Begin a new ratchet.`)
}

export function hiddenStore(state: string): ResultStore {
  return fileStore(join(state, 'store'), { onWarning: () => undefined })
}

type Part = 'visible' | 'hidden' | 'reserve'

/** The items of a part: of the hidden ones, those of the present tree of answers. */
export function itemsIn(ratchet: Ratchet, part: Part): readonly string[] {
  const { visible, hidden, reserve } = ratchet.plan.parts
  if (part === 'hidden') return hidden[standingOf(ratchet).renewals] ?? []
  return part === 'visible' ? visible : reserve
}

/** Runs what is missing of the trials of a version. */
export async function trialsOf(
  gate: Gate,
  tree: string,
  part: Part,
  isSettled?: (decided: Measured['decided']) => boolean,
): Promise<Measured> {
  const { state, plan, visible, hidden, signal, onEvent } = gate
  const { options } = await experimentIn(plan, versionPlace(state, tree))
  return measured({
    ...{ ratchet: gate, version: { tree, options }, part, items: itemsIn(gate, part), signal },
    store: part === 'visible' ? visible : hidden,
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(isSettled === undefined ? {} : { isSettled }),
  })
}

/** The answers to a try. */
type Answer = 'accepted' | 'not-accepted' | 'not-asked' | 'recorded'

/** What a try tells. */
export interface Tried {
  readonly answer: Answer
  readonly looksLeft: number
  /** `null`: this version was tried before, or is the kept one. */
  readonly visible: (Pairs & { readonly passed: number; readonly measured: Measured }) | null
  /** Changed paths that the ratchet does not take. */
  readonly ignored: readonly string[]
}

/**
 * Tries the version in the work tree around a directory.
 *
 * @throws `ratchet-refused`, `aborted`
 */
export async function tried(gate: Gate, cwd: string): Promise<Tried> {
  const { plan, state, log } = gate
  const root = repositoryAround(cwd)?.tree
  if (root == null) throw ratchetRefused(plan.name, `${cwd} is not in a work tree. Call it where the agent works.`)
  const version = await versionIn(root, plan.editable)
  const own = [...plan.editable, ...(gate.results === undefined ? [] : [relative(root, gate.results)])]
  const ignored = [...version.left, ...(await otherChanges(root, plan.commit, own))]
  const { kept, start } = standingOf(gate)
  const { tree } = version
  const before = answerTo(log.entries, tree, [kept.tree, start.tree])
  if (before !== undefined) return { answer: before, looksLeft: standingOf(gate).left, visible: null, ignored }
  if (plan.blind && log.entries.some(({ kind }) => kind === 'report'))
    throw ratchetRefused(plan.name, `The ratchet "${plan.name}" is blind, and its report was made. Begin a new one.`)
  const open = standingOf(gate).open
  if (standingOf(gate).left === 0 && open?.tree !== tree)
    throw ratchetRefused(
      plan.name,
      `All ${plan.looks} looks of the ratchet "${plan.name}" are used. It tells nothing more.`,
    )
  await placeVersion(state, version, plan.editable)
  const visible = await rehearsed(gate, tree)
  if (visible.better <= visible.worse && open?.tree !== tree)
    return { answer: 'not-asked', looksLeft: standingOf(gate).left, visible, ignored }
  const answer = await looked(gate, version)
  return { answer, looksLeft: standingOf(gate).left, visible, ignored }
}

/** The stored answer to a version; `undefined`: it was not tried, or its look has no answer yet. */
function answerTo(entries: readonly Entry[], tree: string, known: readonly string[]): Answer | undefined {
  const own = entries.filter((entry) => entry.tree === tree)
  const answer = own.find(({ kind }) => kind === 'answer')
  if (answer !== undefined)
    return answer.accepted === undefined ? 'recorded' : answer.accepted ? 'accepted' : 'not-accepted'
  if (known.includes(tree)) return 'not-asked'
  if (own.some(({ kind }) => kind === 'look')) return undefined
  const rehearsal = own.find(({ kind }) => kind === 'rehearsal')
  return rehearsal !== undefined && (rehearsal.b ?? 0) <= (rehearsal.w ?? 0) ? 'not-asked' : undefined
}

/** The trials of the visible items, which the agent may read. */
async function rehearsed(gate: Gate, tree: string): Promise<NonNullable<Tried['visible']>> {
  const { plan, log } = gate
  const { kept, start } = standingOf(gate)
  const old = await trialsOf(gate, plan.blind ? start.tree : kept.tree, 'visible')
  const mine = await trialsOf(gate, tree, 'visible')
  const items = itemsIn(gate, 'visible')
  const pairs = pairsOf(plan, items, old.decided, mine.decided)
  if (!log.entries.some((entry) => entry.kind === 'rehearsal' && entry.tree === tree))
    await log.append({ kind: 'rehearsal', tree, b: pairs.better, w: pairs.worse, run: mine.run?.id ?? null })
  return { ...pairs, passed: passedOf(items, mine), measured: mine }
}

/** The items whose decided trials all passed. */
export function passedOf(items: readonly string[], { decided }: Pick<Measured, 'decided'>): number {
  return items.filter((id) => decided.get(id)?.every(({ passed }) => passed === true)).length
}

/** With more undecided pairs than this share, nothing is accepted. */
const mostUndecided = 0.1

/**
 * One look at the hidden items. It is in the log before its first trial, so that a command that is killed has used it: the same
 * version goes on, another one has to begin a new look.
 */
async function looked(gate: Gate, version: Version): Promise<Answer> {
  const { log, plan, signal } = gate
  const { tree } = version
  const begunAt = Date.now()
  const { open } = standingOf(gate)
  if (open !== undefined && open.tree !== tree)
    await log.append({
      kind: 'answer',
      tree: open.tree,
      reason: 'abandoned',
      ...(plan.blind ? {} : { accepted: false }),
    })
  const { accepted, start, kept } = standingOf(gate)
  const alpha = treeAlpha(plan)
  // Of a blind ratchet no candidate is accepted at more than this.
  const level = plan.blind ? alpha : answerTreeLevel({ looks: plan.looks, accepted, alpha })
  // Before the look, so that what git refuses tells nothing of the answer.
  const commit = await committed(gate, version, (plan.blind ? start : kept).commit ?? plan.commit)
  if (open?.tree !== tree) await log.append({ kind: 'look', tree, level })
  const rival = plan.blind ? start : kept
  const { pairs, run, leastMs } = await inSilence(gate, async () => {
    const items = itemsIn(gate, 'hidden')
    const old = await trialsOf(gate, rival.tree, 'hidden')
    const isLate = cannotReach(plan, items, old.decided, level)
    const mine = await trialsOf(gate, tree, 'hidden', isLate)
    // What ended early lies above the level, whatever is missing.
    const ran = isLate(mine.decided) ? items.filter((id) => mine.decided.has(id)) : items
    return {
      pairs: pairsOf(plan, ran, old.decided, mine.decided),
      run: mine.run?.id ?? null,
      leastMs: plan.lookMs ?? leastTime(await trialsOf(gate, start.tree, 'hidden')),
    }
  })
  const p = gainPValue(pairs.differences)
  const isDecided = pairs.undecided <= mostUndecided * itemsIn(gate, 'hidden').length
  const isAccepted = !plan.blind && isDecided && p <= level
  const answer = { kind: 'answer', tree, b: pairs.better, w: pairs.worse, p, level, run } as const
  const reason = isDecided ? {} : { reason: 'undecided' }
  if (plan.blind) await log.append({ ...answer, ...reason })
  else if (isAccepted) {
    await log.append({ ...answer, accepted: true, commit })
    await pointTo(plan.project, referenceOf(plan), commit)
  } else await log.append({ ...answer, ...reason, accepted: false })
  const passedMs = Date.now() - begunAt
  await setTimeout(Math.ceil(Math.max(1, passedMs) / leastMs) * leastMs - passedMs, undefined, { signal })
  return plan.blind ? 'recorded' : isAccepted ? 'accepted' : 'not-accepted'
}

/** A version as a commit on top of another. */
export function committed({ plan, state }: Gate, { tree, files }: Version, parent: string): Promise<string> {
  const message = `ratchet ${plan.name}: kept ${tree.slice(0, 12)}`
  const from = versionPlace(state, tree)
  return commitVersion(plan.project, parent, { files, from, editable: plan.editable, message })
}

/** The versions that are asked again: the start and the kept ones, and of a blind ratchet every candidate. */
function keptTrees({ plan, log: { entries } }: Ratchet): readonly string[] {
  return entries.flatMap(({ kind, tree, accepted }) =>
    kind === 'init' || accepted === true || (plan.blind && kind === 'look') ? [tree] : [],
  )
}

/** Full minutes, at least twice as long as the trials of the start took, four at a time. */
function leastTime({ trials }: Measured): number {
  const sum = trials.reduce((total, { durationMs }) => total + durationMs, 0)
  return Math.max(1, Math.ceil(sum / 2 / 60_000)) * 60_000
}

/**
 * Does work of which an agent must not read anything: what it prints goes nowhere, and the reason of a failure goes to a file of
 * the state.
 */
async function inSilence<Value>({ state, plan, signal }: Gate, work: () => Promise<Value>): Promise<Value> {
  const streams = [process.stdout, process.stderr] as const
  const writes = streams.map((stream) => stream.write)
  for (const stream of streams)
    stream.write = ((...given: readonly unknown[]) => {
      const done = given.findLast((one) => typeof one === 'function') as (() => void) | undefined
      done?.()
      return true
    }) as typeof stream.write
  try {
    return await work()
  } catch (thrown) {
    if (signal.aborted) throw thrown
    await appendFile(join(state, 'errors.log'), `${new Date().toISOString()} ${failureOf(thrown).message}\n`)
    throw ratchetRefused(
      plan.name,
      `The hidden trials could not be finished; the same version goes on without another look. The reason is in ${join(state, 'errors.log')}.`,
    )
  } finally {
    for (const [place, stream] of streams.entries()) stream.write = writes[place] ?? stream.write
  }
}
