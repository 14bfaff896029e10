import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { commandLine, noteServer } from './text.js'

/**
 * Fetches a document: from the server, or from the results in a static report. Returns `undefined` if it does not
 * exist.
 */
export type Source = (path: readonly string[], query?: URLSearchParams) => Promise<unknown>

/** Fetches documents from the server that served the page. Requests wait while the server cannot be reached. */
export function sourceAt(base: string, headersOf: () => Readonly<Record<string, string>>): Source {
  return async (path, query) => {
    const search = query === undefined || query.size === 0 ? '' : `?${query}`
    const address = `${base}/${path.map(encodeURIComponent).join('/')}${search}`
    for (;;) {
      const response = await reached(address, headersOf())
      if (response?.status === 404) return undefined
      if (response !== undefined && !response.ok) throw new Error(await refusalOf(response))
      noteServer(response?.headers)
      const document = await response?.json().catch(isLost)
      if (document !== undefined) return document
      await serverIsBack()
    }
  }
}

/** The default source of documents. */
export const server: Source = sourceAt('/api', tokenHeader)

/** Returns `undefined` if there is no server. */
async function reached(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response | undefined> {
  return fetch(address, { headers }).catch(isLost)
}

/** `fetch` rejects with a TypeError when the connection fails or breaks. */
function isLost(thrown: unknown): undefined {
  if (!(thrown instanceof TypeError)) throw thrown
}

/** The delays before a failed request is repeated, in milliseconds. The delay doubles with each failure. */
const retryMs = { first: 1_000, most: 15_000 }

let waiting: Promise<void> | undefined

/** Resolves when the server answers again. All requests wait for the same attempt. */
function serverIsBack(): Promise<void> {
  waiting ??= untilBack().finally(() => {
    waiting = undefined
  })
  return waiting
}

/** The command that starts the server of this document again, at the same address. */
function restart(): string {
  return commandLine('view', ...(location.pathname === '/review' ? ['--review'] : []), '--port', location.port)
}

async function untilBack(): Promise<void> {
  reportConnection(`The server has stopped. Start it again: ${restart()}`)
  let pauseMs = retryMs.first
  do {
    await pauseOrFocus(pauseMs)
    pauseMs = Math.min(2 * pauseMs, retryMs.most)
  } while ((await reached('/icon.svg')) === undefined)
  reportConnection(undefined)
}

/** The pause ends when the reader returns to the page. */
function pauseOrFocus(pauseMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('focus', end)
      resolve()
    }
    const timer = setTimeout(end, pauseMs)
    addEventListener('focus', end)
  })
}

/**
 * Fetches a file from the server that served the page and saves it under the name that the server gives.
 *
 * @throws the server's message if it refuses, or that it does not answer
 */
export async function saveFile(path: readonly string[], query: URLSearchParams): Promise<void> {
  const response = await fetch(`/api/${path.map(encodeURIComponent).join('/')}?${query}`, { headers: tokenHeader() })
  if (!response.ok) throw new Error(await refusalOf(response))
  const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'report.html'
  saveAs(name, await response.blob())
}

/**
 * Sends a document to the server that served the page, and returns its answer.
 *
 * @throws the server's message if it refuses, or that it does not answer
 */
export async function sent<Answer>(path: string, value: unknown, own = tokenHeader()): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...own }
  const response = await fetch(`/api/${path}`, { method: 'POST', headers, body: JSON.stringify(value) }).catch(isLost)
  if (response === undefined)
    throw new Error(`The server does not answer, so nothing was kept. Start it again: ${restart()}`)
  if (!response.ok) throw new Error(await refusalOf(response))
  return (await response.json()) as Answer
}

/** Saves a file that the page made. */
export function saveAs(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/**
 * The token from the address that `jurist view` printed. The tab keeps it, so that reloads and links work without it.
 */
function tokenHeader(): Readonly<Record<string, string>> {
  const name = 'jurist-token'
  const token = new URLSearchParams(location.search).get('token') ?? sessionStorage.getItem(name)
  if (token === null) return {}
  sessionStorage.setItem(name, token)
  return { 'x-jurist-token': token }
}

/** Returns the message with which the server refuses. */
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

function reportConnection(problem: string | undefined): void {
  if (problem === connectionProblem) return
  connectionProblem = problem
  for (const listener of connectionListeners) listener(problem)
}

/** Why the server cannot be reached; `undefined` while it answers. */
export function useConnectionProblem(): string | undefined {
  const [problem, setProblem] = useState(connectionProblem)
  useLayoutEffect(() => {
    connectionListeners.add(setProblem)
    return () => void connectionListeners.delete(setProblem)
  }, [])
  return problem
}

export const SourceContext = createContext<Source>(server)

export type Loading<Document> =
  | { readonly state: 'loading' }
  | { readonly state: 'missing' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'loaded'; readonly document: Document }

/** The pause between two requests is at least this many times as long as the last request. */
const pauseFactor = 4
/**
 * Fetches a document. After each answer, `refreshMs` returns the delay before the next request, or `undefined` to stop.
 * The last document stays visible during a request and while the server does not answer. Failed requests are repeated.
 */
export function useDocument<Document>(
  path: readonly string[],
  query?: URLSearchParams,
  refreshMs?: (document: Document) => number | undefined,
): Loading<Document> {
  const source = useContext(SourceContext)
  const [loading, setLoading] = useState<Loading<Document>>({ state: 'loading' })
  const key = JSON.stringify([path, query?.toString()])
  useEffect(() => {
    const [wanted, search] = JSON.parse(key) as [readonly string[], string | null]
    let isActive = true
    let timer: ReturnType<typeof setTimeout> | undefined
    let pauseMs = retryMs.first
    const load = async () => {
      const startedAt = performance.now()
      const now = await fetched<Document>(source, wanted, new URLSearchParams(search ?? ''))
      if (!isActive) return
      if (now.state === 'failed') {
        setLoading((before) => (before.state === 'loaded' ? before : now))
        timer = setTimeout(load, pauseMs)
        pauseMs = Math.min(2 * pauseMs, retryMs.most)
        return
      }
      pauseMs = retryMs.first
      setLoading(now)
      const delayMs = now.state === 'loaded' ? refreshMs?.(now.document) : undefined
      if (delayMs !== undefined)
        timer = setTimeout(load, Math.max(delayMs, pauseFactor * (performance.now() - startedAt)))
    }
    void load()
    return () => {
      isActive = false
      clearTimeout(timer)
    }
  }, [key, source, refreshMs])
  return loading
}

async function fetched<Document>(
  source: Source,
  path: readonly string[],
  query: URLSearchParams,
): Promise<Loading<Document>> {
  try {
    const document = await source(path, query)
    return document === undefined ? { state: 'missing' } : { state: 'loaded', document: document as Document }
  } catch (thrown) {
    return { state: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

export function Waiting(): JSX.Element {
  return (
    <p class="quiet waiting" role="status">
      Loading…
    </p>
  )
}

export function Loaded<Document>(props: {
  readonly of: Loading<Document>
  readonly children: (document: Document) => ComponentChildren
  readonly missing?: string | JSX.Element
}): JSX.Element {
  const { of, children, missing = 'Not found.' } = props
  switch (of.state) {
    case 'loading':
      return <Waiting key="waiting" />
    case 'missing':
      if (typeof missing !== 'string') return missing
      return (
        <p class="empty" key="missing">
          {missing}
        </p>
      )
    case 'failed':
      return (
        <p class="empty" role="alert" key="failed">
          {of.message}
        </p>
      )
    case 'loaded':
      return <>{children(of.document)}</>
    default:
      return of satisfies never
  }
}
