import { randomBytes } from 'node:crypto'
import type { Turn } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import {
  type LabelPass,
  type LabelPlace,
  labelFrom,
  type PassProgress,
  passLabels,
  passProgress,
  type ShownTrial,
  shownTrial,
} from '@jurist/experiment/internal'
import { hadWorkspace, trialText } from '@jurist/experiment/internal/results'
import type { Label } from '@jurist/experiment/label'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { semaphore } from '@jurist/kit/semaphore'
import { findTrial } from '../answers/item.js'
import { cachedRuns } from '../cached-runs.js'
import { comparedDirectories, type ReadableDirectories, unifiedChanges } from '../files/changes.js'
import { fileAnswer } from '../files/file-answer.js'
import { isSecret, otherSiteRefusal, refusalOf, respond, segmentsBelow, writtenJson } from '../http.js'
import { requestedReviewFile } from '../page-files.js'

export interface ReviewerOptions extends ReadableDirectories {
  readonly store: ResultStore
  /** The id of the run. */
  readonly run: string
  readonly pass: LabelPass
  readonly labels: LabelPlace
  /** The code that the page exchanges once for the secret of its session. */
  readonly code: string
  /** The host names, as in the options of `viewer`. */
  readonly hosts: readonly string[]
}

/**
 * Serves the page on which a person labels the trials of a pass: `/review`, and `/api/review/…` for its data. The
 * responses contain nothing that comes from a judge, and only labels are written.
 *
 * @returns `undefined` for every other path
 */
export function reviewer(options: ReviewerOptions): (request: Request) => Promise<Response | undefined> {
  const session = reviewSession(options.code)
  const { read, write } = reviewAnswers(options)
  return async function reviewer(request) {
    const { pathname, searchParams } = new URL(request.url)
    const path = segmentsBelow('/api/review/', pathname)
    const file = await requestedReviewFile(pathname)
    if (file === undefined && path === undefined) return undefined
    const isWrite = pathname === '/api/review/session' || pathname === '/api/review/labels'
    const refusal = isWrite ? otherSiteRefusal(request, options.hosts) : refusalOf(request, options.hosts)
    if (refusal !== undefined) return refusal
    if (file !== undefined) return respond.file(file.body, file.type)
    try {
      if (pathname === '/api/review/session') return await begun(session, request)
      if (!session.isHeldBy(request)) return respond.refusal(401, 'Open the address that jurist view --review printed.')
      if (isWrite) return await write(request)
      const value = await read(path ?? [], searchParams)
      return value === undefined ? respond.refusal(404, 'Not found.') : respond.json(value)
    } catch (thrown) {
      return respond.refusal(500, failureOf(thrown).message)
    }
  }
}

async function begun({ begin }: ReviewSession, request: Request): Promise<Response> {
  const written = await writtenJson(request)
  if (written instanceof Response) return written
  const code = isPlainObject(written.value) ? written.value['code'] : undefined
  const secret = begin(typeof code === 'string' ? code : '')
  if (secret !== undefined) return respond.json({ secret })
  return respond.refusal(
    401,
    'This address was opened before, and works only once. Continue in that browser, or start jurist view --review again: no label is lost.',
  )
}

/** The parts of a trial that are read from files. Its prompt would contain the verdict. */
const fileParts: readonly string[] = ['changes', 'file', 'journal']

function reviewAnswers({ store, run: id, pass, labels, ...directories }: ReviewerOptions) {
  const reader = cachedRuns(store)
  const kept = keptLabels(labels, pass)
  const names = new Set(pass.trials.map(trialText))
  const progress = async () => {
    const run = await reader.run(id)
    return run && reviewDocument(run, await kept.lines(), pass)
  }
  return {
    async read([kind, itemId = '', number, part, ...rest]: readonly string[], query: URLSearchParams) {
      if (kind === 'progress' && number === undefined && itemId === '') return progress()
      const trial = { itemId, repetition: Number(number) }
      if (kind !== 'items' || rest.length > 0 || !names.has(trialText(trial))) return undefined
      if (part !== undefined && !fileParts.includes(part)) return undefined
      if (part !== undefined)
        return fileAnswer(directories, reader, ['runs', id, 'items', itemId, String(number), part], query)
      const run = await reader.run(id)
      const found = run && (await findTrial(run, trial))
      return found && reviewTrial(directories, run, found.item)
    },
    async write(request: Request): Promise<Response> {
      const written = await writtenJson(request)
      if (written instanceof Response) return written
      const refused = await kept.keep(written.value)
      return refused === undefined ? respond.json(await progress()) : respond.refusal(refused.status, refused.message)
    },
  }
}

/** Gives permission to label to the first browser that sends the code. */
interface ReviewSession {
  /**
   * Returns the secret of the session for the code, once; `undefined` for another code, and from the second time on.
   */
  readonly begin: (code: string) => string | undefined
  /** Whether a request has the secret. */
  readonly isHeldBy: (request: Request) => boolean
}

/**
 * Exchanges a code for a secret once. The page sends the secret in the header `x-jurist-review`, which no other page
 * can do, and keeps it where only its own origin can read it. A cookie would go to every port of this machine.
 */
function reviewSession(code: string): ReviewSession {
  const secret = randomBytes(24).toString('base64url')
  let isBegun = false
  return {
    begin(given) {
      if (isBegun || !isSecret(given, code)) return undefined
      isBegun = true
      return secret
    },
    isHeldBy: ({ headers }) => isBegun && isSecret(headers.get('x-jurist-review'), secret),
  }
}

export interface GivenLabel {
  readonly itemId: string
  readonly repetition: number
  /** `null` undoes the label. */
  readonly label: Label['label']
  /** The label of this trial that the page knows, so that another tab's label is not overwritten by accident. */
  readonly replaces: Label['label']
  readonly note: string | null
  readonly categories: readonly string[]
  readonly seconds: number | null
  readonly shown: string | null
}

interface KeptLabels {
  readonly lines: () => Promise<readonly Label[]>
  /** Appends a label, or returns the reason why not. */
  readonly keep: (given: unknown) => Promise<{ readonly status: 400 | 404 | 409; readonly message: string } | undefined>
}

/** Labels are appended one after the other, so that each sees the ones before it. */
function keptLabels(place: LabelPlace, pass: LabelPass): KeptLabels {
  const one = semaphore(1)
  const names = new Set(pass.trials.map(trialText))
  return {
    lines: place.read,
    keep: (given) =>
      one.run(async () => {
        const label = labelOf(given, pass)
        if (typeof label === 'string') return { status: 400, message: `This is not a label: ${label}.` }
        const name = trialText(label)
        if (!names.has(name)) return { status: 404, message: `${name} is not among the trials to label.` }
        const known = passLabels(await place.read(), pass).get(name)?.label ?? null
        const { replaces = null } = given as Partial<GivenLabel>
        if (known !== replaces) return { status: 409, message: conflictText(name, known) }
        await place.append(label)
        return undefined
      }),
  }
}

function conflictText(name: string, known: Label['label']): string {
  return known === null
    ? `${name} no longer has a label: another tab undid it.`
    : `${name} is labelled already, in another tab or terminal: ${known}.`
}

/** Returns the line to append, or what is wrong. The annotator, the time and the use do not come from the page. */
function labelOf(given: unknown, { annotator, use }: LabelPass): Label | string {
  if (typeof given !== 'object' || given === null) return 'it must be an object'
  const { itemId, repetition, label, note, categories, seconds, shown } = given as Partial<GivenLabel>
  const at = new Date().toISOString()
  return labelFrom({ itemId, repetition, label, note, categories, seconds, shown, annotator, use, at })
}

/** The progress of one person's labels. Nothing in it comes from a judge. */
export interface ReviewDocument {
  readonly run: string
  readonly experimentName: string
  readonly variant: string | null
  readonly annotator: string
  readonly use: Label['use']
  readonly progress: PassProgress
  /** The categories of all labels so far, the most used first. */
  readonly categories: readonly string[]
}

const mostCategories = 9

function reviewDocument(run: RunResult, lines: readonly Label[], pass: LabelPass): ReviewDocument {
  const { id, experimentName, variant } = run
  const uses = new Map<string, number>()
  for (const category of lines.flatMap(({ categories }) => categories))
    uses.set(category, (uses.get(category) ?? 0) + 1)
  const categories = [...uses].sort(([, one], [, other]) => other - one).map(([category]) => category)
  return {
    run: id,
    experimentName,
    variant,
    annotator: pass.annotator,
    use: pass.use,
    progress: passProgress(lines, pass),
    categories: categories.slice(0, mostCategories),
  }
}

/** A trial as the page shows it before the label. The page requests the changes and the journal separately. */
export interface ReviewTrial extends Omit<ShownTrial, 'changes'> {
  /** The messages of a conversation; empty without one. */
  readonly turns: readonly Turn[]
  readonly hasChanges: boolean
  readonly hasJournal: boolean
}

/** How many files are compared for the hash: as many as in the terminal. */
const maxFiles = 200

async function reviewTrial(directories: ReadableDirectories, run: RunResult, trial: ItemResult): Promise<ReviewTrial> {
  const { changes, ...shown } = shownTrial(trial, await changesOf(directories, run, trial))
  const turns = trial.detail?.kind === 'agent' ? (trial.detail.invocation.turns ?? []) : []
  return { ...shown, turns, hasChanges: changes !== null, hasJournal: trial.journalPath !== null }
}

async function changesOf(directories: ReadableDirectories, run: RunResult, trial: ItemResult) {
  if (!hadWorkspace(trial)) return null
  const compared = await comparedDirectories(directories, run, trial, 'before')
  return 'state' in compared ? compared.reason : unifiedChanges(compared, maxFiles)
}
