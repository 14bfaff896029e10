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
import type { Entry } from './ratchet-state.js'
import {
  checkPinned,
  type Ratchet,
  ratchetRefused,
  referenceOf,
  standingOf,
  treeAlpha,
  triesOf,
} from './ratchet-state.js'
import { cannotReach, experimentIn, type Measured, measured, type Pairs, pairsOf } from './trials.js'
import {
  commitVersion,
  hashOf,
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
  /** How many trials run at the same time. */
  readonly concurrency: number
  /** The versions whose files were placed by this command. */
  readonly placed: Map<string, Promise<string>>
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
  await sweepVersions(state, keptTrees(ratchet))
  await pointTo(plan.project, referenceOf(plan), standingOf(ratchet).kept.commit ?? plan.commit)
  const { loaded, options } = await experimentIn(plan, join(state, 'tree'))
  // The config of the project, which the agent may have changed, is not loaded.
  const directory = join(plan.project, plan.config, '..')
  const results = await resultsOf({ ...host, configIfAny: async () => ({ ...loaded, directory }) })
  await checkWritable(results)
  return {
    ...{ concurrency: options.concurrency ?? 4, placed: new Map() },
    ...{ ...ratchet, visible: results.store, results: results.directory, hidden: hiddenStore(state), signal },
    ...(onEvent === undefined ? {} : { onEvent }),
  }
}

/**
 * Reads the files of a version that the ratchet keeps.
 *
 * @throws `ratchet-refused` when they were changed
 */
export async function keptVersion({ plan, state, log }: Ratchet, tree: string): Promise<Version> {
  const place = tree === log.entries[0]?.tree ? join(state, 'tree') : versionPlace(state, tree)
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

/** Places the files of a version, once in a command. */
function placeOf({ placed, ...gate }: Gate, tree: string, version?: Version): Promise<string> {
  const place = async () => placeVersion(gate.state, version ?? (await keptVersion(gate, tree)), gate.plan.editable)
  const known = placed.get(tree) ?? place()
  placed.set(tree, known)
  return known
}

/** Names the runs of a version, so that the owner finds them in the pages of the store. */
function labelOf({ log: { entries } }: Ratchet, tree: string, part: 'hidden' | 'reserve'): string {
  const place = triesOf(entries).findIndex((one) => one.tree === tree)
  const version = place === -1 ? 'start' : `try-${place + 1}`
  return part === 'hidden' ? version : `${version}-reserve`
}

/** Runs what is missing of the trials of a version. */
export async function trialsOf(
  gate: Gate,
  tree: string,
  part: Part,
  isSettled?: (decided: Measured['decided']) => boolean,
  items = itemsIn(gate, part),
): Promise<Measured> {
  const { plan, visible, hidden, signal, onEvent } = gate
  return measured({
    ...{ ratchet: gate, tree, part, items, signal, label: part === 'visible' ? null : labelOf(gate, tree, part) },
    optionsOf: async () => (await experimentIn(plan, await placeOf(gate, tree))).options,
    store: part === 'visible' ? visible : hidden,
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(isSettled === undefined ? {} : { isSettled }),
  })
}

/** How many changed paths an entry of the log names. */
const mostPaths = 20

/** The answers to a try. */
type Answer = 'accepted' | 'not-accepted' | 'not-asked' | 'recorded'

/** The answer to a try. */
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
  const { plan, log } = gate
  const root = repositoryAround(cwd)?.tree
  if (root == null) throw ratchetRefused(plan.name, `${cwd} is not in a work tree. Call it where the agent works.`)
  const version = await versionIn(root, plan.editable)
  const own = [...plan.editable, ...(gate.results === undefined ? [] : [relative(root, gate.results)])]
  const ignored = [...version.left, ...(await otherChanges(root, plan.commit, own))]
  const paths = ignored.slice(0, mostPaths)
  const known = log.entries.findLast(({ kind }) => kind === 'ignored')?.paths ?? []
  const { kept, start } = standingOf(gate)
  const { tree } = version
  if (ignored.length > 0 && paths.join('\0') !== known.join('\0')) await log.append({ kind: 'ignored', tree, paths })
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
  await placeOf(gate, tree, version)
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
 * One look at the hidden items. It is in the log before its first trial, so that a command that is killed has used it: the same version continues, another one has to begin a new look. However it ends, the answer is one bit and comes after the same time: only
 * the log tells the owner why.
 */
async function looked(gate: Gate, version: Version): Promise<Answer> {
  const { log, plan, signal } = gate
  const { tree } = version
  const { open, accepted, start, kept } = standingOf(gate)
  const refused = plan.blind ? {} : { accepted: false }
  if (open !== undefined && open.tree !== tree)
    await log.append({ kind: 'answer', tree: open.tree, reason: 'abandoned', ...refused })
  const alpha = treeAlpha(plan)
  // Of a blind ratchet no candidate is accepted at more than this.
  const level = plan.blind ? alpha : answerTreeLevel({ looks: plan.looks, accepted, alpha })
  const rival = plan.blind ? start : kept
  // Before the look, so that what git or the disk refuses tells nothing of the answer.
  const commit = await committed(gate, version, rival.commit ?? plan.commit)
  const { old, lookMs } = await inSilence(async () => ({
    old: await rivalTrials(gate, rival.tree),
    lookMs: await lookTime(gate),
  }))
  if (open?.tree !== tree) await log.append({ kind: 'look', tree, level, trials: trialsHash(old) })
  const begunAt = Date.now()
  const found = await inSilence(() => compared(gate, tree, { old, level, lookMs }))
  // Before the answer is in the log, so that it cannot be had earlier by a try that is killed and begun again. What cannot be
  // stopped in time ends with another full look.
  const passedMs = Date.now() - begunAt
  await setTimeout(lookMs === 0 ? 0 : lookMs - (passedMs % lookMs), undefined, { signal })
  const isAccepted = !plan.blind && found.reason === undefined && (found.p ?? 1) <= level
  await log.append({ kind: 'answer', tree, level, ...found, ...(isAccepted ? { accepted: true, commit } : refused) })
  if (isAccepted) await pointTo(plan.project, referenceOf(plan), commit)
  return plan.blind ? 'recorded' : isAccepted ? 'accepted' : 'not-accepted'
}

/**
 * The hidden trials of the version to beat.
 *
 * @throws `ratchet-refused` when they differ from those that earlier answers rest on
 */
async function rivalTrials(gate: Gate, tree: string): Promise<Measured> {
  const { plan, log } = gate
  const old = await trialsOf(gate, tree, 'hidden')
  const now = log.entries.slice(log.entries.findLastIndex(({ kind }) => kind === 'renew') + 1)
  const last = now.findLast(({ kind, accepted }) => kind === 'look' || accepted === true)
  if (last?.trials !== undefined && last.trials !== trialsHash(old))
    throw ratchetRefused(
      plan.name,
      `The hidden trials of the version to beat differ from those of entry ${last.seq}: the store of the ratchet was changed. Begin a new ratchet.`,
    )
  return old
}

function trialsHash({ trials }: Measured): string {
  return hashOf(trials.map(({ itemId, repetition, passed }) => `${itemId}#${repetition} ${passed}`).sort())
}

/** Compares a version with the one to beat. What cannot be compared has a reason. */
async function compared(
  gate: Gate,
  tree: string,
  { old, level, lookMs }: { readonly old: Measured; readonly level: number; readonly lookMs: number },
): Promise<Pick<Entry, 'b' | 'w' | 'p' | 'run' | 'trials' | 'reason'>> {
  const { plan, state, signal } = gate
  const items = itemsIn(gate, 'hidden')
  // What is stopped needs a while to end.
  const late = lookMs === 0 ? undefined : AbortSignal.timeout(lookMs - Math.min(lookMs / 4, stoppingMs))
  try {
    const limited = late === undefined ? gate : { ...gate, signal: AbortSignal.any([signal, late]) }
    const isOver = cannotReach(plan, items, old.decided, level)
    const mine = await trialsOf(limited, tree, 'hidden', isOver)
    // What ended early lies above the level, whatever is missing.
    const ran = isOver(mine.decided) ? items.filter((id) => mine.decided.has(id)) : items
    const { better: b, worse: w, differences, undecided } = pairsOf(plan, ran, old.decided, mine.decided)
    const found = { b, w, p: gainPValue(differences), run: mine.run?.id ?? null, trials: trialsHash(mine) }
    return undecided > mostUndecided * items.length ? { ...found, reason: 'undecided' } : found
  } catch (thrown) {
    signal.throwIfAborted()
    if (late?.aborted === true) return { reason: 'late' }
    await appendFile(join(state, errorsFile), `${new Date().toISOString()} ${failureOf(thrown).message}\n`)
    return { reason: 'failed' }
  }
}

const stoppingMs = 15_000

/** A file of the state with what kept looks from ending. */
export const errorsFile = 'errors.log'

/** A version as a commit on top of another. */
export function committed({ plan, state }: Gate, { tree, files }: Version, parent: string): Promise<string> {
  const message = `ratchet ${plan.name}: kept ${tree.slice(0, 12)}`
  const from = versionPlace(state, tree)
  return commitVersion(plan.project, parent, { files, from, editable: plan.editable, message })
}

/** The versions that are asked again, besides the start: those that were kept, and of a blind ratchet every candidate. */
function keptTrees({ plan, log: { entries } }: Ratchet): readonly string[] {
  return entries.flatMap(({ kind, tree, accepted }) =>
    accepted === true || (plan.blind && kind === 'look') ? [tree] : [],
  )
}

/** How long each look takes: by default full minutes in which the trials of the start end twice. */
export async function lookTime(gate: Gate): Promise<number> {
  return gate.plan.lookMs ?? Math.ceil((2 * (await startTime(gate)) + stoppingMs) / 60_000) * 60_000
}

/**
 * In what time the hidden trials of the start end, whatever their order (Graham 1966, Bell System Technical Journal 45:1563): those of
 * the first tree of answers, so that it stays the same.
 */
export async function startTime(gate: Gate): Promise<number> {
  const { plan, concurrency } = gate
  const { trials } = await trialsOf(gate, standingOf(gate).start.tree, 'hidden', undefined, plan.parts.hidden[0])
  const took = trials.map(({ durationMs }) => durationMs)
  return took.reduce((sum, ms) => sum + ms, 0) / concurrency + Math.max(0, ...took)
}

/** Does work of which an agent must not read anything: what it prints goes nowhere. */
async function inSilence<Value>(work: () => Promise<Value>): Promise<Value> {
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
  } finally {
    for (const [place, stream] of streams.entries()) stream.write = writes[place] ?? stream.write
  }
}
