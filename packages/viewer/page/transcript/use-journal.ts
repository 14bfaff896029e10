import { type JournalStep, stepReader } from '@jurist/experiment/internal/journal'
import { useEffect, useState } from 'preact/hooks'
import type { JournalDocument } from '../../src/files/journals.js'
import { type Loading, useDocument } from '../documents.js'
import { type TrialRoute, trialPath } from '../router.js'

/** The part of a journal that is fetched so far. */
export interface FetchedJournal {
  readonly records: readonly unknown[]
  readonly steps: readonly JournalStep[]
  readonly total: number
  readonly isRunning: boolean
}

interface Fetched extends FetchedJournal {
  /** The trial. */
  readonly of: string
  readonly start: string
  /** The index of the first record of the last request. */
  readonly from: number
  readonly read: ReturnType<typeof stepReader>
}

const pollMs = 1_000

/** While a trial runs, new records of its journal are requested. */
const whileRunning = (document: JournalDocument) =>
  document.state === 'read' && document.isRunning && document.records.length === 0 ? pollMs : undefined

/** Fetches the journal of a trial in parts, and its new records while the trial runs. */
export function useJournal(trial: TrialRoute): Loading<FetchedJournal | { readonly reason: string }> {
  const path = trialPath(trial, 'journal')
  const of = path.join('/')
  const [last, setFetched] = useState<Fetched>()
  const fetched = last?.of === of ? last : undefined
  const { records: { length: count } = [], total = 0, isRunning = false } = fetched ?? {}
  const from = count < total || isRunning ? count : (fetched?.from ?? 0)
  const query = new URLSearchParams(from === 0 ? {} : { from: String(from) })
  const loading = useDocument<JournalDocument>(path, query, whileRunning)
  const document = loading.state === 'loaded' ? loading.document : undefined
  useEffect(() => {
    if (document?.state === 'read') setFetched(withPart(fetched, document, of))
  }, [document])
  if (loading.state !== 'loaded') return loading
  if (loading.document.state === 'unknown') return { state: 'loaded', document: { reason: loading.document.reason } }
  return fetched === undefined ? { state: 'loading' } : { state: 'loaded', document: fetched }
}

function withPart(
  before: Fetched | undefined,
  part: Extract<JournalDocument, { readonly state: 'read' }>,
  of: string,
): Fetched | undefined {
  const { start, total, isRunning, from } = part
  // The start differs if another attempt has started the journal from the beginning.
  if (before !== undefined && before.start !== '' && start !== before.start) return undefined
  if (from !== (before?.records.length ?? 0)) return before
  const read = before?.read ?? stepReader()
  const isSame = before !== undefined && part.records.length === 0
  const records = isSame ? before.records : [...(before?.records ?? []), ...part.records]
  const steps = isSame ? before.steps : read(part.records)
  return { of, records, steps, total, isRunning, start, from, read }
}
