import { randomBytes } from 'node:crypto'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import type { LabelPass, LabelPlace } from '@jurist/experiment/internal'
import { trialText } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import { findTrial } from '../answers/item.js'
import { cachedRuns } from '../cached-runs.js'
import type { ReadableDirectories } from '../files/changes.js'
import { fileAnswer } from '../files/file-answer.js'
import { isSecret, otherSiteRefusal, refusalOf, respond, segmentsBelow, writtenJson } from '../http.js'
import { requestedReviewFile } from '../page-files.js'
import { keptLabels } from './kept-labels.js'
import { reviewDocument, reviewTrial } from './review-documents.js'

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
