import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'

/** Where documents come from: the server, or the report itself. `undefined`: there is no such thing. */
export type Source = (path: readonly (string | number)[], query?: URLSearchParams) => Promise<unknown>

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

/**
 * A document, asked for again every `everyMs` milliseconds when given. While another one of the same kind is on its
 * way, the last one stays.
 */
export function useDocument<Document>(
  path: readonly (string | number)[],
  query?: URLSearchParams,
  everyMs?: number,
): Loading<Document> {
  const source = useContext(SourceContext)
  const [loading, setLoading] = useState<Loading<Document>>({ state: 'loading' })
  const key = JSON.stringify([path, query?.toString()])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what path and query are
  useEffect(() => {
    let left = false
    const ask = async () => {
      const now = await asked<Document>(source, path, query)
      if (!left) setLoading(now)
    }
    void ask()
    const timer = everyMs === undefined ? undefined : setInterval(ask, everyMs)
    return () => {
      left = true
      clearInterval(timer)
    }
  }, [key, source, everyMs])
  return loading
}

async function asked<Document>(
  source: Source,
  path: readonly (string | number)[],
  query: URLSearchParams | undefined,
): Promise<Loading<Document>> {
  try {
    const document = await source(path, query)
    return document === undefined ? { state: 'missing' } : { state: 'there', document: document as Document }
  } catch (thrown) {
    return { state: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}
