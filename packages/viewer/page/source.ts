import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'

/** Where documents come from: the server, or the report itself. `undefined`: there is no such thing. */
export type Source = (path: readonly string[], query?: URLSearchParams) => Promise<unknown>

/** Asks the server that the page came from. */
export const server: Source = async (path, query) => {
  const search = query === undefined || query.size === 0 ? '' : `?${query}`
  const response = await fetch(`/api/${path.map(encodeURIComponent).join('/')}${search}`)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`)
  return response.json()
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

/**
 * A document. After each answer `again` says in how many milliseconds to ask again, `undefined` for never. While the
 * next one is on its way, the last one stays, whatever it was asked for.
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
    const ask = async () => {
      const startedAt = performance.now()
      const now = await asked<Document>(source, wanted, new URLSearchParams(search ?? ''))
      if (left) return
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
