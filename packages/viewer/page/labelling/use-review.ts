import type { Label } from '@jurist/experiment/label'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { GivenLabel, ReviewDocument } from '../../src/review/reviewer.js'
import { refusalOf, type Source, SourceContext, sourceAt } from '../documents.js'
import { commandLine } from '../text.js'

const name = 'jurist-review'

/** The secret of the session. All tabs of this browser share it. Other origins cannot read it. */
function secretHeader(): Readonly<Record<string, string>> {
  const secret = localStorage.getItem(name)
  return secret === null ? {} : { 'x-jurist-review': secret }
}

const documents = sourceAt('/api/review', secretHeader)

/** The documents of the review, under the paths that the views of a trial use. */
export const reviewSource: Source = (path, query) => documents(path[0] === 'runs' ? path.slice(2) : path, query)

/**
 * Exchanges the code in the address for the secret of the session, and removes it from the address.
 *
 * @returns why the server refused it; `undefined` if it did not, or if the address has no code
 */
async function beginSession(): Promise<string | undefined> {
  const [, code] = /^#([\w-]{32})$/.exec(location.hash) ?? []
  if (code === undefined) return undefined
  history.replaceState(null, '', location.pathname)
  const response = await posted('session', { code })
  if (!response.ok) return refusalOf(response)
  const { secret } = (await response.json()) as { readonly secret: string }
  localStorage.setItem(name, secret)
  return undefined
}

/** @throws the reason why the label was not kept */
async function sendLabel(label: GivenLabel): Promise<ReviewDocument> {
  const response = await posted('labels', label)
  if (!response.ok) throw new Error(await refusalOf(response))
  return (await response.json()) as ReviewDocument
}

async function posted(path: string, value: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...secretHeader() }
  try {
    return await fetch(`/api/review/${path}`, { method: 'POST', headers, body: JSON.stringify(value) })
  } catch {
    throw new Error(
      `The server does not answer, so the label was not kept. Start it again: ${commandLine('view', '--review', '--port', location.port)}`,
    )
  }
}

export interface Review {
  /** `undefined` until it is fetched. */
  readonly document: ReviewDocument | undefined
  /** The latest error. */
  readonly problem: string | undefined
  /** The label that was last kept or undone in this tab. */
  readonly latest: GivenLabel | undefined
  /** Keeps a label. Other labels are ignored until the server has answered. */
  readonly keep: (label: GivenLabel) => void
  /** The label that was last undone in this tab. Its note and categories become the initial content of the fields. */
  readonly undone: Label | undefined
  /** Undoes the last label of the pass. */
  readonly undo: () => void
}

/** Fetches the review again when the person comes back from another tab, in which trials may have been labelled. */
export function useReview(): Review {
  const source = useContext(SourceContext)
  const [document, setDocument] = useState<ReviewDocument>()
  const [problem, setProblem] = useState<string>()
  const [latest, setLatest] = useState<GivenLabel>()
  const [undone, setUndone] = useState<Label>()
  const isBusy = useRef(false)
  const fetchAgain = async () => setDocument((await source(['progress'])) as ReviewDocument)
  useEffect(() => {
    const begin = async () => {
      const refusal = await beginSession()
      await fetchAgain().catch((thrown: Error) => setProblem(refusal ?? thrown.message))
    }
    const refresh = () => void fetchAgain().catch(() => undefined)
    void begin().catch((thrown: Error) => setProblem(thrown.message))
    addEventListener('focus', refresh)
    return () => removeEventListener('focus', refresh)
  }, [])
  const send = async (label: GivenLabel) => {
    if (isBusy.current) return
    isBusy.current = true
    try {
      setDocument(await sendLabel(label))
      setProblem(undefined)
      setLatest(label)
    } catch (thrown) {
      setProblem((thrown as Error).message)
      await fetchAgain().catch(() => undefined)
    } finally {
      isBusy.current = false
    }
  }
  const undo = () => {
    const last = document?.progress.last ?? null
    if (last === null) return
    setUndone(last)
    void send(undoneLabel(last))
  }
  return { document, problem, latest, undone, keep: (label) => void send(label), undo }
}

function undoneLabel({ itemId, repetition, label }: Label): GivenLabel {
  const nothing = { note: null, categories: [], seconds: null, shown: null }
  return { itemId, repetition, label: null, replaces: label, ...nothing }
}
