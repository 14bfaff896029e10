import { failureOf, isPlainObject } from '@jurist/core/internal'
import type { LabelPass, LabelPlace } from '@jurist/experiment/internal'
import { trialName } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import { findTrial } from '../answers/item.js'
import { cachedRuns } from '../cached-runs.js'
import type { ReadableDirectories } from '../files/changes.js'
import { fileAnswer } from '../files/file-answer.js'
import { otherSiteRefusal, refusalOf, respond, segmentsBelow } from '../http.js'
import { requestedReviewFile } from '../page-files.js'
import { keptLabels } from './kept-labels.js'
import { reviewDocument, reviewTrial } from './review-documents.js'
import { type ReviewSession, reviewSession } from './review-session.js'
import { writtenJson } from './written-json.js'

/** What is labelled, and where. */
export interface ReviewerOptions extends ReadableDirectories {
  readonly store: ResultStore
  /** The id of the run. */
  readonly run: string
  readonly pass: LabelPass
  /** Where labels are appended. */
  readonly labels: LabelPlace
  /** What the page exchanges once for the secret of its session. */
  readonly code: string
  /** As in the options of `viewer`. */
  readonly hosts: readonly string[]
}

/**
 * Serves the page on which a person labels the trials of a pass: `/review`, and `/api/review/…` for its data. What it sends
 * contains nothing that a judge said, and labels are the only thing that it writes.
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
    'This address was opened before, and works once. Go on in that browser, or start jurist view --review again: no label is lost.',
  )
}

/** Of a trial, these are read from files. Its prompt would contain the verdict. */
const fileParts: readonly string[] = ['changes', 'file', 'journal']

/** What a session reads and writes. */
function reviewAnswers({ store, run: id, pass, labels, ...directories }: ReviewerOptions) {
  const reader = cachedRuns(store)
  const kept = keptLabels(labels, pass)
  const names = new Set(pass.trials.map(trialName))
  const progress = async () => {
    const run = await reader.run(id)
    return run && reviewDocument(run, await kept.lines(), pass)
  }
  return {
    async read([kind, itemId = '', number, part, ...rest]: readonly string[], query: URLSearchParams) {
      if (kind === 'progress' && number === undefined && itemId === '') return progress()
      const trial = { itemId, repetition: Number(number) }
      if (kind !== 'items' || rest.length > 0 || !names.has(trialName(trial))) return undefined
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
