import type { RunResult } from '@jurist/experiment/result'
import { variantsOf } from './answers/run.js'
import type { RunReader } from './answers/run-reader.js'
import type { ReadableDirectories } from './files/changes.js'
import { reportExtras } from './static/report-parts.js'
import { staticReport } from './static/static-report.js'

/** The file that the page's button "Share" saves. */
export interface SharedReport {
  readonly name: string
  readonly html: string
}

/**
 * The report of one file at `runs/<id>/report`, with the other variants of the run's session. `with=journals` and
 * `with=changes` add those.
 *
 * @returns `undefined` for every other path and for an unknown run
 */
export async function sharedReport(
  { directory, sourcesOf }: ReadableDirectories,
  reader: RunReader,
  path: readonly string[],
  query: URLSearchParams,
): Promise<SharedReport | undefined> {
  const [kind, id = '', part] = path
  if (kind !== 'runs' || part !== 'report' || path.length !== 3) return undefined
  const run = await reader.run(id)
  if (run === undefined) return undefined
  const extras = query.getAll('with')
  const html = await staticReport(await withVariants(reader, run), {
    with: reportExtras.filter((extra) => extras.includes(extra)),
    sources: sourcesOf,
    ...(directory === undefined ? {} : { directory }),
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
