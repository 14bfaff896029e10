import { appendFile, readFile } from 'node:fs/promises'
import { basename, isAbsolute, join, relative } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { modelsUsedBy } from '@jurist/core/internal'
import { trialText } from '@jurist/experiment/internal/results'
import { type ItemResult, outcomeOf } from '@jurist/experiment/result'
import type { Removed } from './cleaning.js'
import { isSameFailure, type Signature, slugOf, type TrialFailure } from './failure.js'
import { cleanedCut, failsAgain, judgeAgain } from './judge-again.js'
import { type LiveFacts, minimiseLive } from './live.js'
import { keptFiles, type Minimised, minimise, sizeOf } from './minimise.js'
import { featuresOf, linesOf, type NearItem, nearItems, promotedItem } from './near-items.js'
import { type Asked, askedOf, type EstablishedNew, establishedItem, newItem } from './new-item.js'
import { openPromotion, type PromoteChoices, type PromotePlace, type Promotion, promotable } from './promotion.js'
import type { Cut } from './trial-files.js'
import { addItem, addRow, freeName } from './write-item.js'

/** The item that a trial became, as data. */
export interface Promoted {
  readonly trial: string
  readonly failure: string
  readonly signature: Signature
  readonly status: 'written' | 'would-write' | 'near-copy' | 'known'
  /** The id of the item, or of the item that is there already. */
  readonly item: string
  /** Relative to the dataset; `null`: nothing was written. */
  readonly path: string | null
  readonly files: { readonly before: number; readonly wrong: number } | null
  readonly minimised: (Omit<Minimised, 'cut' | 'notes'> & { readonly seconds: number }) | null
  /** `null`: the agent was not run. */
  readonly live: LiveFacts | null
  readonly removed: Removed
  readonly nearest: NearItem | null
  readonly established: EstablishedNew
  readonly notes: readonly string[]
}

const nearCopy = 0.8
export const nearEnough = 0.5

/** Turns a failed trial into an item of a dataset. */
export async function promoteTrial(place: PromotePlace, item: ItemResult, choices: PromoteChoices): Promise<Promoted> {
  const failure = promotable(item, choices.judge)
  const seen = `${place.run.id}/${trialText(item)}`
  const known = await promotedItem(place.dataset, (from) => from.trial === seen && isSameFailure(from, failure))
  if (known !== undefined) return { ...nothingYet(trialText(item), failure), status: 'known', item: known }
  await using promotion = await openPromotion(place, item, failure, choices)
  const reduced = await reducedTrial(promotion)
  return await written(promotion, reduced, seen)
}

function nothingYet(trial: string, { text, signature }: TrialFailure) {
  return {
    ...{ trial, failure: text, signature, path: null, files: null, minimised: null, live: null, nearest: null },
    established: { status: 'active', why: '' } as const,
    removed: { secrets: [], machine: [], addresses: [], files: [] },
    notes: [],
  }
}

/** A trial after it was reduced. */
interface Reduced extends Pick<Promoted, 'minimised' | 'live' | 'notes'> {
  readonly cut: Cut
  readonly asked: Asked
}

/** Proves that the trial still fails alike, removes secrets, and leaves out what the failure does not need, where that is asked for. */
async function reducedTrial(promotion: Promotion): Promise<Reduced> {
  const { item, columns, files, signal, jury, budgetMinutes, dryRun } = promotion
  const { asked, turns } = askedOf(promotion)
  const said = asked.messages.length
  const notes = said === 0 ? [] : [`the script is the first ${said} of ${turns} messages of the user`]
  if (files.missing !== null)
    notes.push(`${files.missing}: the item has its task${columns === null ? ' and the answer' : ' and input'} alone`)
  // An agent that broke or ran out of time was not judged, and is not judged again.
  const isTimeout = outcomeOf(item) === 'timeout'
  const judge =
    files.missing === null && item.verdict !== null && !isTimeout ? await judgeAgain(promotion, signal) : null
  if (judge !== null) await failsAgain(judge, promotion)
  const begun = await cleanedCut(promotion, async (cut) => judge === null || judge.isAlike(cut))
  signal.throwIfAborted()
  const none = { cut: begun, asked, minimised: null, live: null }
  const models = modelsUsedBy(jury)
  const isLive = promotion.live && !isTimeout && !dryRun
  if (promotion.live && dryRun) notes.push('--live is left out by --dry-run: no agent ran')
  if (!promotion.minimise) return { ...none, notes }
  const whyNot =
    files.missing !== null
      ? 'there are no files'
      : isTimeout
        ? 'it ran out of time'
        : judge === null
          ? 'no judge failed it'
          : models.length > 0
            ? `the jury asks ${models.map(({ name }) => name).join(', ')}, and each judgment would cost`
            : null
  if (whyNot !== null && !isLive) return { ...none, notes: [...notes, `not minimised: ${whyNot}`] }
  const kept = await keptFiles(promotion)
  const limits = { until: performance.now() + budgetMinutes * 60_000, signal }
  const beganAt = performance.now()
  const smaller = whyNot === null ? await minimise(promotion, begun, kept, limits) : null
  const seconds = Math.round((performance.now() - beganAt) / 100) / 10
  const of = { begun, smaller: smaller?.cut ?? begun, asked }
  const live = isLive ? await minimiseLive(promotion, of, kept, whyNot === null ? judge : null, limits) : null
  const cut = live?.cut ?? of.smaller
  const { judgments = 0, isStopped = false, from } = smaller ?? {}
  return {
    cut,
    asked: live?.asked ?? asked,
    minimised: from === undefined ? null : { judgments, isStopped, from, to: await sizeOf(files, cut), seconds },
    live: live?.facts ?? null,
    notes: [...notes, ...(smaller?.notes ?? []), ...liveNotes(live?.facts)],
  }
}

function liveNotes(facts: LiveFacts | undefined): readonly string[] {
  if (facts === undefined) return []
  const { original, isStopped } = facts
  if (original.alike === 0)
    return [`--live: the agent failed alike in 0 of ${original.runs} runs, so that nothing more was left out`]
  return isStopped ? ['--live: stopped at a limit; --budget-minutes gives it more time'] : []
}

/** Writes the item, unless the dataset has one like it. */
async function written(promotion: Promotion, reduced: Reduced, seen: string): Promise<Promoted> {
  const { dataset, into, columns, item, trial, failure, clean, source, dryRun } = promotion
  const { cut, asked, minimised, live, notes } = reduced
  const ready = await newItem(promotion, cut, asked, reducedFacts(reduced))
  const { counts, directories, fields, task } = ready
  const lines = directories['before'] === undefined ? null : await linesOf(directories['before'])
  const { metadata, input = null } = fields as { readonly metadata: JsonObject; readonly input?: JsonObject }
  const features = featuresOf({ ...source, task, input, metadata }, lines, failure.signature)
  // A row has no files that were made small: the row of which the trial was is the item that is asked for.
  const [nearest = null] = await nearItems(dataset, features, columns === null ? item.itemId : null)
  const facts = {
    ...nothingYet(trial, failure),
    ...{ failure: clean.text(failure.text, 'reason'), files: counts, minimised, live, nearest, notes },
  }
  if (nearest !== null && nearest.similarity >= nearCopy) {
    if (!dryRun) await noteSeen(promotion, nearest.id, seen)
    return { ...facts, removed: clean.removed(), status: 'near-copy', item: nearest.id }
  }
  const id = freeName(into, promotion.name ?? slugOf(failure), new Set(dataset?.entries.map((entry) => entry.id)))
  const established = await establishedItem(promotion, id, ready)
  const all = { ...facts, removed: clean.removed(), item: id, established }
  if (dryRun) return { ...all, status: 'would-write', path: columns === null ? `regressions/${id}` : basename(into) }
  if (!promotion.minimise) promotion.signal.throwIfAborted()
  const { status } = established
  const path = await (columns === null
    ? addItem(into, id, ready, status)
    : addRow(into, id, ready, { columns, status }))
  return { ...all, status: 'written', path }
}

/** The facts about left-out parts that the item itself holds. */
function reducedFacts({ minimised, live }: Reduced): JsonObject {
  const { from, to, judgments, isStopped } = minimised ?? {}
  const facts = {
    ...(minimised === null ? {} : { minimised: { from, to, judgments, ...(isStopped ? { stopped: true } : {}) } }),
    ...(live === null ? {} : { live: { original: live.original, left: live.left, from: live.from, to: live.to } }),
  }
  return facts as unknown as JsonObject
}

/** Notes beside an item that it was seen again. The item itself is not changed. */
async function noteSeen({ dataset, into }: PromotePlace, id: string, trial: string): Promise<void> {
  const path = dataset?.entries.find((entry) => entry.id === id)?.path
  if (path === undefined || path === null) return
  const file = join(into, path, 'seen.jsonl')
  const before = await readFile(file, 'utf8').catch(() => '')
  if (!before.includes(JSON.stringify(trial)))
    await appendFile(file, `${JSON.stringify({ trial, at: new Date().toISOString() })}\n`)
}

export function shownPlace({ into, columns }: PromotePlace, path: string, cwd: string): string {
  const whole = columns === null ? join(into, path) : into
  const from = relative(cwd, whole)
  return from.startsWith('..') || isAbsolute(from) ? (columns === null ? join(basename(into), path) : path) : from
}
