import { useEffect, useState } from 'preact/hooks'
import type { JournalDocument } from '../../src/files/journals.js'
import { type Loading, useDocument } from '../documents.js'
import { type TrialRoute, trialPath } from '../router.js'

/** The records of a journal that are fetched so far. */
export interface FetchedJournal {
  readonly records: readonly unknown[]
  readonly total: number
  readonly isRunning: boolean
}

interface Fetched extends FetchedJournal {
  readonly start: string | undefined
  /** The index of the first record of the last request. */
  readonly from: number
}

const nothing: Fetched = { records: [], total: 0, isRunning: false, start: undefined, from: 0 }

const pollMs = 1_000

/** While a trial runs, new records of its journal are requested. */
const whileRunning = (document: JournalDocument) =>
  document.state === 'read' && document.isRunning && document.records.length === 0 ? pollMs : undefined

/** Fetches the journal of a trial in parts, and its new records while the trial runs. */
export function useJournal(trial: TrialRoute): Loading<FetchedJournal | { readonly reason: string }> {
  const [fetched, setFetched] = useState(nothing)
  const { records, total, isRunning } = fetched
  const from = records.length < total || isRunning ? records.length : fetched.from
  const query = new URLSearchParams(from === 0 ? {} : { from: String(from) })
  const loading = useDocument<JournalDocument>(trialPath(trial, 'journal'), query, whileRunning)
  const document = loading.state === 'loaded' ? loading.document : undefined
  useEffect(() => {
    if (document?.state === 'read') setFetched((before) => withPart(before, document))
  }, [document])
  if (loading.state !== 'loaded') return loading
  const { document: last } = loading
  if (last.state === 'unknown') return { state: 'loaded', document: { reason: last.reason } }
  return fetched.start === undefined ? { state: 'loading' } : { state: 'loaded', document: fetched }
}

function withPart(before: Fetched, part: Extract<JournalDocument, { readonly state: 'read' }>): Fetched {
  const { start, total, isRunning, from } = part
  // The start differs if another attempt has started the journal from the beginning.
  if (before.start !== undefined && before.start !== '' && start !== before.start) return nothing
  if (from !== before.records.length) return before
  const records = part.records.length === 0 ? before.records : [...before.records, ...part.records]
  return { records, total, isRunning, start, from }
}
