import { checkOptions, failureOf, option } from '@jurist/core/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { answer } from './answers/answer.js'
import { fileAnswer } from './files/file-answer.js'
import { isTrusted, refusalOf } from './guard.js'
import { loadedRuns } from './loaded-runs.js'
import { pageFile } from './page-files.js'
import { reply } from './reply.js'

/** How a viewer works. */
export interface ViewerOptions {
  /** The directory of the store, where kept workspaces and journals are. Default: none are shown. */
  readonly directory?: string
  /**
   * Further directories from which the states before and the references of items may be read, such as those of datasets; a
   * function is asked for each run. Default: none.
   */
  readonly sources?: readonly string[] | ((run: ExperimentResult) => Promise<readonly string[]>)
  /** Names of hosts that are served beside `localhost`, `127.0.0.1` and `[::1]`, without ports. Default: none. */
  readonly hosts?: readonly string[]
  /**
   * A secret that every question for data has to show, in the header `x-jurist-token`; the page takes it from `?token=` in
   * its own address. Programs on the same machine that do not know the address cannot read the store then. Default: none.
   */
  readonly token?: string
  /** What the store has warned of so far, to be shown on the page. Default: nothing. */
  readonly warnings?: () => readonly string[]
}

/** Answers the requests of the page. */
export type Viewer = (request: Request) => Promise<Response>

/**
 * A page that shows a store. It reads only: any method but GET and HEAD is refused with 405, another host or origin
 * with 403, a question without the `token` with 401, what does not exist with 404. Give it to any server of requests; listen on loopback.
 *
 * @throws `option-invalid`
 *
 * @example
 * const answer = viewer(fileStore('results'), { directory: 'results' })
 * const response = await answer(new Request('http://localhost:4040/api/runs'))
 */
export function viewer(store: ResultStore, options?: ViewerOptions): Viewer {
  const {
    directory,
    sources = [],
    hosts = [],
    token,
    warnings,
  } = checkOptions('viewer', options, {
    directory: option.string,
    sources: option.either(option.strings, option.function),
    hosts: option.strings,
    token: option.string,
    warnings: option.function,
  })
  const shelf = loadedRuns(store, warnings)
  const sourcesOf = typeof sources === 'function' ? sources : async () => sources
  const answered = async (path: readonly string[], query: URLSearchParams) =>
    (await answer(shelf, path, query)) ?? fileAnswer({ directory, sourcesOf }, shelf, path, query)
  return async function viewer(request) {
    const refusal = refusalOf(request, hosts)
    if (refusal !== undefined) return refusal
    const { pathname, searchParams } = new URL(request.url)
    try {
      const file = await pageFile(pathname)
      if (file !== undefined) return reply.file(file.body, file.type)
      const path = segmentsOf(pathname)
      if (path !== undefined && !isTrusted(request, token))
        return reply.refusal(
          401,
          'Open the address that jurist view printed: it holds the token that this store asks for.',
        )
      const value = path === undefined ? undefined : await answered(path, searchParams)
      return value === undefined ? reply.refusal(404, 'There is nothing here.') : reply.json(value)
    } catch (thrown) {
      return reply.refusal(500, failureOf(thrown).message)
    }
  }
}

/** The decoded parts below `/api/`; `undefined` for other paths and for what cannot be decoded. */
function segmentsOf(pathname: string): readonly string[] | undefined {
  if (!pathname.startsWith('/api/')) return undefined
  try {
    return pathname.slice('/api/'.length).split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}
