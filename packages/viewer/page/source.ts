import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { ownHeaders } from './access.js'

/** Where documents come from: the server, or the report itself. `undefined`: there is no such thing. */
export type Source = (path: readonly string[], query?: URLSearchParams) => Promise<unknown>

/** Asks the server that the page came from. */
export const server: Source = async (path, query) => {
  const search = query === undefined || query.size === 0 ? '' : `?${query}`
  try {
    const response = await fetch(`/api/${path.map(encodeURIComponent).join('/')}${search}`, { headers: ownHeaders() })
    noteConnection(undefined)
    if (response.status === 404) return undefined
    if (!response.ok) throw new Error(await refusalOf(response))
    return await response.json()
  } catch (thrown) {
    // `fetch` rejects with a TypeError when nobody answers.
    if (!(thrown instanceof TypeError)) throw thrown
    noteConnection('The server has stopped. Start it again: jurist view')
    throw new Error('The server does not answer.')
  }
}

/** Why the server refused, in its words. */
async function refusalOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { readonly error: { readonly message: string } }
    return error.message
  } catch {
    return `The server answered ${response.status}: ${text}`
  }
}

const connectionListeners = new Set<(problem: string | undefined) => void>()
let connectionProblem: string | undefined

function noteConnection(problem: string | undefined): void {
  if (problem === connectionProblem) return
  connectionProblem = problem
  for (const listener of connectionListeners) listener(problem)
}

/** Why the server cannot be asked at present; `undefined` while it answers. */
export function useConnectionProblem(): string | undefined {
  const [problem, setProblem] = useState(connectionProblem)
  useEffect(() => {
    connectionListeners.add(setProblem)
    return () => void connectionListeners.delete(setProblem)
  }, [])
  return problem
}

/** The source of the page. */
export const SourceContext = createContext<Source>(server)

/** A document on its way. */
export type Loading<Document> =
  | { readonly state: 'loading' }
  | { readonly state: 'missing' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'there'; readonly document: Document }

/** Asking takes its time on large runs; then it is done less often. */
const patience = 4
/** How long to wait before a question that failed is asked again; each failure doubles it. */
const retryMs = { first: 1_000, most: 15_000 }

/**
 * A document. After each answer `again` says in how many milliseconds to ask again, `undefined` for never. While the
 * next one is on its way, and while the server does not answer, the last one stays. A question that failed is asked again.
 */
export function useDocument<Document>(
  path: readonly string[],
  query?: URLSearchParams,
  again?: (document: Document) => number | undefined,
): Loading<Document> {
  const source = useContext(SourceContext)
  const [loading, setLoading] = useState<Loading<Document>>({ state: 'loading' })
  const key = JSON.stringify([path, query?.toString()])
  useEffect(() => {
    const [wanted, search] = JSON.parse(key) as [readonly string[], string | null]
    let left = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let pauseMs = retryMs.first
    const ask = async () => {
      const startedAt = performance.now()
      const now = await asked<Document>(source, wanted, new URLSearchParams(search ?? ''))
      if (left) return
      if (now.state === 'failed') {
        setLoading((before) => (before.state === 'there' ? before : now))
        timer = setTimeout(ask, pauseMs)
        pauseMs = Math.min(2 * pauseMs, retryMs.most)
        return
      }
      pauseMs = retryMs.first
      setLoading(now)
      const delayMs = now.state === 'there' ? again?.(now.document) : undefined
      if (delayMs !== undefined) timer = setTimeout(ask, Math.max(delayMs, patience * (performance.now() - startedAt)))
    }
    void ask()
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [key, source, again])
  return loading
}

async function asked<Document>(
  source: Source,
  path: readonly string[],
  query: URLSearchParams,
): Promise<Loading<Document>> {
  try {
    const document = await source(path, query)
    return document === undefined ? { state: 'missing' } : { state: 'there', document: document as Document }
  } catch (thrown) {
    return { state: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}
