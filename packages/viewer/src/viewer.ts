import { checkOptions, failureOf, option } from '@jurist/core/internal'
import type { RunResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import type { SeenWorker } from '@jurist/experiment/store-kit'
import { answer } from './answers/answer.js'
import { variantsOf } from './answers/run.js'
import type { RunReader } from './answers/run-reader.js'
import { cachedRuns } from './cached-runs.js'
import type { ReadableDirectories } from './files/changes.js'
import { serverAnswer } from './files/file-answer.js'
import type { LabelPlaces } from './files/stored-labels.js'
import { isTrusted, refusalOf, respond, segmentsBelow } from './http.js'
import { requestedFile } from './page-files.js'
import { reportExtras } from './static/report-parts.js'
import { reportPage } from './static/static-report.js'

/** The options of `viewer`. */
export interface ViewerOptions {
  /**
   * The directory of the store, with its kept workspaces and journals. A store that keeps them elsewhere copies them
   * there on demand. Default: the page shows none.
   */
  readonly directory?: string
  /**
   * Additional directories that initial states and references may be read from, such as datasets. A function is
   * called for each run. Default: none.
   */
  readonly sources?: readonly string[] | ((run: RunResult) => Promise<readonly string[]>)
  /** Host names without ports that are served in addition to `localhost`, `127.0.0.1` and `[::1]`. Default: none. */
  readonly hosts?: readonly string[]
  /**
   * A secret that every request for data must have in the header `x-jurist-token`. The page reads it from `?token=` in
   * its own address. It keeps other programs on the same machine from reading the store. Default: no token is required.
   */
  readonly token?: string
  /** Returns the warnings of the store so far, which the page shows. Default: none. */
  readonly warnings?: () => readonly string[]
  /** Returns the workers of a queue. The page names the trials that they run. Default: none. */
  readonly workers?: () => Promise<readonly SeenWorker[]>
}

/** Answers the requests of the page. */
export type Viewer = (request: Request) => Promise<Response>

/**
 * Serves a page that shows a store. Use it with any server of `Request` and `Response`, and listen on loopback. It is
 * read-only: it refuses every method except GET and HEAD with 405, other hosts and origins with 403, requests without
 * the `token` with 401, and answers 404 for anything that does not exist.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { fileStore } from '@jurist/experiment/store'
 * import { viewer } from '@jurist/viewer'
 *
 * const answer = viewer(fileStore('results'), { directory: 'results' })
 * const response = await answer(new Request('http://localhost:4040/api/runs'))
 * console.log(await response.json())
 */
export function viewer(store: ResultStore, options?: ViewerOptions): Viewer {
  const {
    directory,
    sources = [],
    hosts = [],
    token,
    warnings,
    workers,
  } = checkOptions('viewer', options, {
    directory: option.string,
    sources: option.either(option.strings, option.function),
    hosts: option.strings,
    token: option.string,
    warnings: option.function,
    workers: option.function,
  })
  const reader = cachedRuns(store, { directory, warnings })
  const sourcesOf = typeof sources === 'function' ? sources : async () => sources
  const directories = {
    ...{ directory, sourcesOf, workers },
    ...fetching(store, directory),
  }
  const answered = async (path: readonly string[], query: URLSearchParams) =>
    (await answer(reader, path, query)) ?? serverAnswer({ ...directories, store }, reader, path, query)
  return async function viewer(request) {
    const refusal = refusalOf(request, hosts)
    if (refusal !== undefined) return refusal
    const { pathname, searchParams } = new URL(request.url)
    try {
      const file = await requestedFile(pathname)
      if (file !== undefined) return respond.file(file.body, file.type)
      const path = segmentsBelow('/api/', pathname)
      if (path !== undefined && !isTrusted(request, token))
        return respond.refusal(
          401,
          'Open the address that jurist view printed. It contains the token that this store requires.',
        )
      const shared = path && (await sharedReport({ ...directories, store }, reader, path, searchParams))
      if (shared !== undefined) return respond.download(shared.html, shared.name)
      const value = path === undefined ? undefined : await answered(path, searchParams)
      return value === undefined ? respond.refusal(404, 'Not found.') : respond.json(value)
    } catch (thrown) {
      return respond.refusal(500, failureOf(thrown).message)
    }
  }
}

/** Copies the files into the directory, if the store keeps them elsewhere. */
function fetching({ fetchFiles }: ResultStore, directory: string | undefined): Pick<ReadableDirectories, 'fetch'> {
  if (directory === undefined || fetchFiles === undefined) return {}
  return { fetch: (run, trials) => fetchFiles(run.id, directory, trials) }
}

/** The file that the page's button "Share" saves. */
interface SharedReport {
  readonly name: string
  readonly html: string
}

/**
 * Returns the report of one file at `runs/<id>/report`, with the other variants of the run's session. `with=journals`
 * and `with=changes` add those.
 *
 * @returns `undefined` for every other path and for an unknown run
 */
async function sharedReport(
  directories: ReadableDirectories & LabelPlaces,
  reader: RunReader,
  path: readonly string[],
  query: URLSearchParams,
): Promise<SharedReport | undefined> {
  const [kind, id = '', part] = path
  if (kind !== 'runs' || part !== 'report' || path.length !== 3) return undefined
  const run = await reader.run(id)
  if (run === undefined) return undefined
  const extras = query.getAll('with')
  const html = await reportPage(await withVariants(reader, run), {
    extras: reportExtras.filter((extra) => extras.includes(extra)),
    directories,
  })
  return { name: `${run.experimentName.replace(/[^\w.-]+/g, '-')}-${run.id}.html`, html }
}

async function withVariants(reader: RunReader, run: RunResult): Promise<readonly RunResult[]> {
  const runs: RunResult[] = [run]
  for (const { id } of variantsOf(run, await reader.entries())) {
    const other = id === run.id ? undefined : await reader.run(id)
    if (other !== undefined) runs.push(other)
  }
  return runs
}
