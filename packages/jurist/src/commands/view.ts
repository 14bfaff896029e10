import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, hostname, networkInterfaces } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { passProgress } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import {
  flag,
  oneOf,
  type ReportProblem,
  repeatable,
  text,
  toggle,
  usageInvalid,
  whole,
} from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import type { PromoterOptions } from '@jurist/viewer/internal'
import type { ReportExtra } from '@jurist/viewer/static'
import { datasetDirectories, namedSources, ownDataset } from '../command-kit/configured-experiment.js'
import { findRun, resultsHolding } from '../command-kit/find-run.js'
import { answer, type Host, interruptible } from '../command-kit/host.js'
import { type Results, resultsOf, scansKept } from '../command-kit/results-store.js'
import { defined, type Subcommand, subcommand } from '../command-kit/subcommand.js'
import {
  checkKeepsLabels,
  labelPass,
  labelsBeside,
  type PassFlags,
  passFlags,
  summarizePass,
} from './label/label-pass.js'
import { startingDirectories } from './show/show.js'
import { hasQueue, queueOf } from './worker/shared-queue.js'

const reportExtras = ['journals', 'changes'] as const satisfies readonly ReportExtra[]

/** Fixed, so that URLs of the page stay valid. */
const usualPort = 4973

export const view: Subcommand = subcommand({
  arguments: [['[run]', 'open the page at this run']],
  flags: {
    port: flag('--port <n>', `port to listen on (default: ${usualPort}, or the next free one)`, whole(0, 65_535)),
    host: flag('--host <address>', 'address to listen on (default: 127.0.0.1)', text, { default: '127.0.0.1' }),
    open: toggle('--open', 'open a browser'),
    source: repeatable('--source <dir>', 'a directory with initial states of items', text),
    static: flag('--static <dir>', 'write the run (default: the latest) as one HTML file into this directory', text),
    with: repeatable(
      '--with <part>',
      `further contents of the HTML file: ${reportExtras.join(', ')}`,
      oneOf(reportExtras),
    ),
    review: toggle('--review', 'a page to label trials of the run (default: the latest), without verdicts'),
    ...passFlags,
  },
  note: `The page only reads. With --review it also appends labels to labels.jsonl beside the run, and the printed address
works once, in one browser; key P on a failed trial then runs jurist promote. --by and what follows it are as in
jurist label, and work with --review.`,
  examples: [
    'view --open',
    'view add-readme --static report --with journals',
    'view latest --review --sample 60 --by ana',
  ],
  check(given, problem) {
    checkReview(given, problem)
    if (given.review && given.static !== undefined) problem('--review', 'Use --review or --static, not both.')
    if (given.with.length > 0 && given.static === undefined)
      problem('--with', '--with works with --static <dir>. The page itself shows journals and changes always.')
  },
  async run(host, [name], flags) {
    const results = await resultsOf(host)
    const shown = name === undefined ? results : await resultsHolding(results, name, host.cwd)
    const named = await namedSources(host, flags.source)
    // The dataset in the record of a bundle or another directory does not belong to this project.
    const isOwn = shown === results
    const configured = [...named, ...(await datasetDirectories(host))]
    const sources = async (of: RunResult) => [...configured, ...(isOwn ? await ownDataset(host, of) : [])]
    if (flags.static !== undefined)
      return report(host, shown, { name: name ?? 'latest', directory: flags.static, extras: flags.with, sources })
    const { host: address, port, open: opens } = flags
    const review = flags.review
      ? await openReview(host, { results: shown, isOwn, name: name ?? 'latest', hosts: hostsOf(address), flags })
      : undefined
    const chosen = name === undefined ? undefined : (review?.run ?? (await findRun(results, name, host.cwd)))
    return show(host, shown, { address, port, run: chosen?.id, opens, sources, review })
  },
})

interface WantedReport {
  /** The run as given by the user. */
  readonly name: string
  readonly directory: string
  readonly extras: readonly ReportExtra[]
  readonly sources: (run: RunResult) => Promise<readonly string[]>
}

async function report(host: Host, results: Results, { name, directory, extras, sources }: WantedReport) {
  const runs = await withVariants(results, await findRun(results, name, host.cwd))
  const { staticReport } = await import('@jurist/viewer/static')
  const html = await staticReport(runs, {
    with: extras,
    sources,
    scans: await scansKept(results, runs),
    ...defined({ directory: await filesOfAll(results, runs, extras) }),
  })
  const file = await written(html, resolve(host.cwd, directory))
  answer(host, { file }, `${relative(host.cwd, file)}\n`)
  return 0 as const
}

/** Returns the directory with the files that a report contains. */
async function filesOfAll(results: Results, runs: readonly RunResult[], extras: readonly ReportExtra[]) {
  if (extras.length > 0) for (const run of runs) await results.filesOf(run)
  return results.filesDirectory
}

/**
 * Adds the beginning of a command line, for commands that the page proposes, and what the server may do. Only data
 * contains them, which requires the token.
 */
function withFacts(response: Response, mayPromote: boolean): Response {
  const isData = response.headers.get('content-type') === 'application/json'
  if (!response.ok || !isData) return response
  response.headers.set('x-jurist-command', encodeURIComponent(commandLine()))
  if (mayPromote) response.headers.set('x-jurist-may', 'promote')
  return response
}

/** Makes items of trials for the page, as `jurist promote` does. */
async function promoterOf(
  host: Host,
  results: Results,
  { token, hosts, signal }: Pick<PromoterOptions, 'token' | 'hosts'> & { readonly signal: AbortSignal },
) {
  const { promoter } = await import('@jurist/viewer/internal')
  const { promoteMinimised } = await import('./promote/promote.js')
  return promoter({ token, hosts, promote: (run, trial) => promoteMinimised(host, { results, run, trial, signal }) })
}

interface Wanted {
  readonly address: string
  readonly port: number | undefined
  readonly run: string | undefined
  readonly opens: boolean
  readonly sources: (run: RunResult) => Promise<readonly string[]>
  readonly review: Review | undefined
}

/** Serves the page until it is interrupted. */
async function show(host: Host, results: Results, { address, port, run, opens, sources, review }: Wanted) {
  const { viewer } = await import('@jurist/viewer')
  const token = await viewToken()
  await using queue = hasQueue(results) ? queueOf(results) : undefined
  const page = viewer(results.store, {
    token,
    ...(queue === undefined ? {} : { workers: queue.workers }),
    warnings: results.warnings,
    hosts: hostsOf(address),
    sources,
    ...defined({ directory: results.filesDirectory }),
  })
  using stop = interruptible(host, () => 'Stopping.')
  const promoted = review && (await promoterOf(host, results, { token, hosts: hostsOf(address), signal: stop.signal }))
  const respond = async (request: Request) => {
    const response = (await review?.answer(request)) ?? (await promoted?.(request)) ?? (await page(request))
    return withFacts(response, promoted !== undefined)
  }
  await using served = await (port === undefined
    ? serveNear(respond, address)
    : serve(respond, { host: address, port })
  ).catch((cause: Error) => {
    throw usageInvalid('--port', `Cannot listen on ${address}, port ${port}: ${cause.message}. Choose another --port.`)
  })
  const origin = originOf(address, served.port)
  const url = `${origin}/?token=${token}${run === undefined ? '' : `#/runs/${run}`}`
  const opened = review === undefined ? url : `${origin}${review.place}`
  answer(host, review === undefined ? { url } : { url, review: opened }, `${opened}\n`)
  host.note(`Showing ${results.shown}. Stop with Ctrl-C.`)
  if (review !== undefined) host.note(`The results with verdicts, for later: ${url}`)
  if (opens) openBrowser(opened)
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  if (host.flags.json !== true) await review?.summarize()
  return 130 as const
}

/** Serves at the usual port, at one of the next ports if it is in use, or at any free port. */
async function serveNear(answer: Parameters<typeof serve>[0], host: string): Promise<Served> {
  for (let port = usualPort; port < usualPort + 20; port += 1)
    try {
      return await serve(answer, { host, port })
    } catch (thrown) {
      if (failureOf(thrown).code !== 'EADDRINUSE') throw thrown
    }
  return serve(answer, { host, port: 0 })
}

/** Returns a run and the other variants of its session. */
async function withVariants({ store }: Results, run: RunResult): Promise<readonly RunResult[]> {
  const { session, experimentName } = run
  const runs: RunResult[] = [run]
  if (session === null) return runs
  for await (const { id } of store.list({ experimentName, session })) {
    const other = id === run.id ? undefined : await store.overview(id)
    if (other !== undefined) runs.push(other)
  }
  return runs
}

async function written(html: string, directory: string): Promise<string> {
  const file = join(directory, 'index.html')
  try {
    await mkdir(directory, { recursive: true })
    await writeFile(file, html)
  } catch (cause) {
    throw usageInvalid('--static', `${file} cannot be written: ${(cause as Error).message}. Choose another directory.`)
  }
  return file
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a URL in the user's browser. Fails silently, since the URL is printed as well. */
function openBrowser(url: string): void {
  const [program, ...argv] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...argv, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}

/** The page for labelling trials, beside the page that shows results. */
interface Review {
  readonly run: RunResult
  /** Returns `undefined` for requests to other pages. */
  readonly answer: (request: Request) => Promise<Response | undefined>
  /** The part of its URL after the origin, which works only once. */
  readonly place: string
  /** Prints the labels of the pass. */
  readonly summarize: () => Promise<void>
}

interface Reviewed {
  readonly results: Results
  /** The run as given by the user. */
  readonly name: string
  readonly hosts: readonly string[]
  /** Whether the results are those of the project. */
  readonly isOwn: boolean
  readonly flags: PassFlags & { readonly source: readonly string[] }
}

/** Prepares the pass that the flags describe. */
async function openReview(host: Host, { results, name, hosts, isOwn, flags }: Reviewed): Promise<Review> {
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

/** Flags of a pass have no effect without a review. */
function checkReview(given: PassFlags & { readonly review: boolean }, problem: ReportProblem): void {
  if (given.review) return
  for (const [name, { usage }] of Object.entries(passFlags)) {
    const value = given[name as keyof PassFlags]
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
    const [flag = ''] = usage.split(' ')
    if (isGiven) problem(flag, `${flag} works with --review.`)
  }
}

interface Served extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves a request handler over HTTP until it is disposed of.
 *
 * @throws the errors of `listen`, such as `EADDRINUSE`
 */
async function serve(
  answer: (request: Request) => Promise<Response>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Served> {
  const server = createServer((incoming, outgoing) => void handle(answer, incoming, outgoing))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        // An open page keeps its connection alive.
        server.closeAllConnections()
      }),
  }
}

async function handle(
  answer: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const response = await answer(requestOf(incoming))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(incoming.method === 'HEAD' ? undefined : new Uint8Array(await response.arrayBuffer()))
    // The rest of a refused body is discarded, so that the sender receives the answer.
    incoming.resume()
  } catch {
    // The host, method or address does not make a valid request.
    if (!outgoing.headersSent) outgoing.writeHead(400)
    outgoing.end()
  }
}

function requestOf(incoming: IncomingMessage): Request {
  const { url = '/', method = 'GET', headers } = incoming
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) given.append(name, one)
  // Concatenated, not resolved: `//example.com` is a path. A handler that stops reading must not close the connection,
  // which its answer needs.
  const body = method === 'POST' ? ReadableStream.from(incoming.iterator({ destroyOnReturn: false })) : null
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: given, body, duplex: 'half' })
}

const everything: readonly string[] = ['0.0.0.0', '::', '[::]']

/** Returns the origin of the page for a browser on this machine. */
function originOf(host: string, port: number): string {
  return `http://${everything.includes(host) ? 'localhost' : bracketed(host)}:${port}`
}

/** Returns the host names that requests may use, besides those of the loopback, if the server listens on `host`. */
function hostsOf(host: string): readonly string[] {
  if (!everything.includes(host)) return [bracketed(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => bracketed(address))]
}

/** Formats an IPv6 address for a URL. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host.toLowerCase()}]` : host.toLowerCase()
}

const form = /^[\w-]{32}$/

/**
 * Returns the secret in the URL of the page. It is stored in a file that only the user can read, so that an open page
 * keeps working after the server restarts. If the file cannot be written, each start has a new secret.
 */
async function viewToken(): Promise<string> {
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  const directory = join(state, 'jurist')
  const file = join(directory, 'view-token')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (form.test(kept)) return kept
  const made = randomBytes(24).toString('base64url')
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeFile(file, `${made}\n`, { mode: 0o600 })
    await chmod(file, 0o600)
  } catch {
    // The page also works if the home directory cannot be written.
  }
  return made
}
