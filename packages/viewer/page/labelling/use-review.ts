import type { Label } from '@jurist/experiment/label'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { GivenLabel, ReviewDocument } from '../../src/review/reviewer.js'
import { type Source, SourceContext, sent, sourceAt } from '../documents.js'

const name = 'jurist-review'

/** The secret of the session. All tabs of this browser share it. Other origins cannot read it. */
function secretHeader(): Readonly<Record<string, string>> {
  const secret = localStorage.getItem(name)
  return secret === null ? {} : { 'x-jurist-review': secret }
}

const documents = sourceAt('/api/review', secretHeader)

/** The documents of the review, under the paths that the views of a trial use. */
export const reviewSource: Source = (path, query) => documents(path[0] === 'runs' ? path.slice(2) : path, query)

/** Exchanges the code in the address, if it has one, for the secret of the session, and removes it from the address. */
async function beginSession(): Promise<void> {
  const [, code] = /^#([\w-]{32})$/.exec(location.hash) ?? []
  if (code === undefined) return
  history.replaceState(null, '', location.pathname)
  const { secret } = await sent<{ readonly secret: string }>('review/session', { code }, {})
  localStorage.setItem(name, secret)
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
      const refusal = await beginSession().catch((thrown: Error) => thrown.message)
      await fetchAgain().catch((thrown: Error) => setProblem(refusal ?? thrown.message))
    }
    const refresh = () => void fetchAgain().catch(() => undefined)
    void begin()
    addEventListener('focus', refresh)
    return () => removeEventListener('focus', refresh)
  }, [])
  const send = async (label: GivenLabel) => {
    if (isBusy.current) return
    isBusy.current = true
    try {
      setDocument(await sent('review/labels', label, secretHeader()))
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
