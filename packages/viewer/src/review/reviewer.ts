import { randomBytes } from 'node:crypto'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import type { LabelPass, LabelPlace } from '@jurist/experiment/internal'
import { trialText } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import { findTrial } from '../answers/item.js'
import { cachedRuns } from '../cached-runs.js'
import type { ReadableDirectories } from '../files/changes.js'
import { fileAnswer } from '../files/file-answer.js'
import { isSecret, otherSiteRefusal, refusalOf, respond, segmentsBelow } from '../http.js'
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
  /** As in the options of `viewer`. */
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

/** A label with a long note is a few kilobytes. */
const maxBytes = 32 * 1024

/**
 * Reads the JSON of a request that writes. Refuses other methods than POST (405), requests without an origin (403),
 * other types (415), larger bodies (413) and malformed JSON (400).
 */
async function writtenJson(request: Request): Promise<{ readonly value: unknown } | Response> {
  const { method, headers } = request
  if (method !== 'POST') return respond.refusal(405, 'Use POST.', { allow: 'POST' })
  // A browser always sends it with POST.
  if (headers.get('origin') === null) return respond.refusal(403, 'A request that writes needs its origin.')
  if (!/^application\/json *(;|$)/i.test(headers.get('content-type') ?? ''))
    return respond.refusal(415, 'Send application/json.')
  const text = await bodyText(request)
  if (text === undefined) return respond.refusal(413, `A label has at most ${maxBytes} bytes.`)
  try {
    return { value: JSON.parse(text) }
  } catch {
    return respond.refusal(400, 'This is not JSON.')
  }
}

/** Returns `undefined` for a body that is too large, without reading the rest. */
async function bodyText({ body, headers }: Request): Promise<string | undefined> {
  if (Number(headers.get('content-length')) > maxBytes) return undefined
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
