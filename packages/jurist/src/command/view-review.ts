import { randomBytes } from 'node:crypto'
import { passProgress } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { findRun } from './find-run.js'
import type { Host } from './host.js'
import { checkKeepsLabels, labelPass, labelsBeside, type PassFlags, passFlags, summarizePass } from './label-pass.js'
import type { Results } from './results-store.js'
import { startingDirectories } from './show.js'
import type { Problem } from './subcommand.js'

/** The page on which trials are labelled, beside the page that shows results. */
export interface Review {
  readonly run: RunResult
  /** `undefined` for requests that are not its own. */
  readonly answer: (request: Request) => Promise<Response | undefined>
  /** What follows the origin in its URL: it works once. */
  readonly place: string
  /** Prints what was labelled. */
  readonly summarize: () => Promise<void>
}

/** What a review needs of the page. */
interface Reviewed {
  readonly results: Results
  /** The run, as it was named. */
  readonly name: string
  readonly hosts: readonly string[]
  /** Whether the results are those of the project. */
  readonly isOwn: boolean
  readonly flags: PassFlags & { readonly source: readonly string[] }
}

/** Prepares the pass that the flags describe. */
export async function openReview(host: Host, { results, name, hosts, isOwn, flags }: Reviewed): Promise<Review> {
  checkKeepsLabels(name)
  const run = await findRun(results, name, host.cwd, ['agent'])
  const place = labelsBeside(host, results, run)
  const lines = await place.read()
  const pass = await labelPass(host, run, lines, flags)
  const datasets = await startingDirectories(host, isOwn ? run : undefined, flags.source)
  const { reviewer } = await import('@jurist/viewer/internal')
  const code = randomBytes(24).toString('base64url')
  const { store, filesDirectory: directory } = results
  const { total, counts } = passProgress(lines, pass)
  const labelled = counts.pass + counts.fail + counts.skip
  host.note(`${labelled} of ${counted(total, 'trial')} labelled by ${pass.annotator}. Labels: ${place.shown}`)
  return {
    run,
    answer: reviewer({
      store,
      run: run.id,
      pass,
      labels: place,
      code,
      hosts,
      directory,
      sourcesOf: async () => datasets,
    }),
    place: `/review#${code}`,
    summarize: async () => summarizePass(host, { run, place, pass, lines: await place.read() }),
  }
}

/** Flags of a pass say nothing without a review. */
export function checkReview(given: PassFlags & { readonly review: boolean }, problem: Problem): void {
  if (given.review) return
  for (const [name, { usage }] of Object.entries(passFlags)) {
    const value = given[name as keyof PassFlags]
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
    const [flag = ''] = usage.split(' ')
    if (isGiven) problem(flag, `${flag} works with --review.`)
  }
}
