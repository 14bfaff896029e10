import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { PostgresStore } from '@jurist/distributed/postgres'
import type { KeptScan } from '@jurist/experiment/internal/journal'
import type { TrialName } from '@jurist/experiment/internal/results'
import { type CommandResults, usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import { fileStore, type ResultStore } from '@jurist/experiment/store'
import { withoutPassword } from '@jurist/kit/command-line'
import { shownFromHere } from '@jurist/kit/shown-path'
import { partNamed } from '../config/plugins.js'
import { calledFunction, unknownAmong } from '../config/problems.js'
import type { CopyEnd } from './copy-results.js'
import type { Host } from './host.js'

/** The result store of a command. */
export interface Results extends CommandResults {
  /** The absolute results directory; `undefined` for a custom store of the config. */
  readonly directory: string | undefined
  /** The directory to which `filesOf` copies files; `undefined` if the store keeps none. */
  readonly filesDirectory: string | undefined
  /**
   * Returns the results directory with the workspaces and journals of some trials of a run. A store that keeps them
   * elsewhere copies them into a temporary directory. Returns `undefined` if it keeps none.
   *
   * @param trials default: all
   */
  readonly filesOf: (run: Pick<RunResult, 'id'>, trials?: readonly TrialName[]) => Promise<string | undefined>
  /** The warnings of the store so far. */
  readonly warnings: () => readonly string[]
}

/**
 * Opens the store of `--results`, `JURIST_RESULTS` or the config's `store` (each a directory or the URL of a database).
 * Default: `results` next to the config.
 */
export async function resultsOf(host: Host): Promise<Results> {
  const loaded = await host.configIfAny()
  const named = host.flags.results ?? process.env.JURIST_RESULTS
  const given = named === '' ? undefined : named
  const configured = loaded?.config.store
  const database = given ?? configured
  if (typeof database === 'string' && isDatabase(database)) {
    const store = await databaseStore(database, [loaded?.directory ?? host.cwd, host.cwd])
    return resultsOver(store, store.address)
  }
  const { plugins = [] } = loaded ?? {}
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(String(database)) ?? []
  if (typeof database === 'string' && scheme !== undefined) {
    const open = partNamed(
      plugins.map(({ stores }) => stores),
      scheme.toLowerCase(),
    )
    if (open !== undefined) return resultsOver(await open(database), withoutPassword(database))
    const known = ['postgres', ...plugins.flatMap(({ stores = {} }) => Object.keys(stores))]
    throw usageInvalid(
      '--results',
      `No store opens ${scheme}://.${unknownAmong(scheme, known)} Add its package to "plugins".`,
    )
  }
  if (given === undefined && configured !== undefined && typeof configured !== 'string') {
    const file = loaded?.file ?? ''
    const store = typeof configured === 'function' ? await calledFunction(configured, file, 'store') : configured
    return resultsOver(store, 'the store of the config')
  }
  const directory =
    given !== undefined
      ? resolve(host.cwd, given)
      : resolve(loaded?.directory ?? host.cwd, typeof configured === 'string' ? configured : 'results')
  await checkIsDirectory(directory)
  return resultsIn(directory, shownFromHere(directory), host.note)
}

/** Opens the store of a results directory. Each warning of the store is printed once. */
export function resultsIn(directory: string, shown: string, note: (line: string) => void = onStderr): Results {
  const warned = new Set<string>()
  const onWarning = (message: string) => {
    // A store that is read twice warns twice.
    if (!warned.has(message)) note(`warning: ${message}`)
    warned.add(message)
  }
  const store = fileStore(directory, { onWarning })
  const filesOf = async () => directory
  return { store, directory, shown, filesDirectory: directory, filesOf, warnings: () => [...warned] }
}

/** Returns the results of a store without a directory. */
export function resultsOver(store: ResultStore, shown: string): Results {
  const { fetchFiles } = store
  const filesDirectory = fetchFiles === undefined ? undefined : temporaryDirectory()
  return {
    ...{ store, shown, filesDirectory },
    directory: undefined,
    warnings: () => [],
    async filesOf({ id }, trials) {
      if (filesDirectory !== undefined) await fetchFiles?.(id, filesDirectory, trials)
      return filesDirectory
    },
  }
}

/** Returns the directory of a run; `undefined` for a store without directories. */
export function runDirectory(
  { directory }: Pick<Results, 'directory'>,
  { experimentName, id }: Pick<RunResult, 'experimentName' | 'id'>,
): string | undefined {
  return directory === undefined ? undefined : join(directory, experimentName, id)
}

/** Returns what scans of runs have kept, by the ids of the runs. */
export async function scansKept(
  { store }: Pick<Results, 'store'>,
  runs: readonly Pick<RunResult, 'experimentName' | 'id'>[],
): Promise<Readonly<Record<string, KeptScan>>> {
  const { scanKept } = await import('@jurist/experiment/internal')
  const scans: Record<string, KeptScan> = {}
  for (const run of runs) {
    const kept = await scanKept(store, run)
    if (kept !== null) scans[run.id] = kept
  }
  return scans
}

/** Returns the results as source or target of a copy; `undefined` for a custom store of the config. */
export function copyEndOf({ store, directory }: Results): CopyEnd | undefined {
  if (directory !== undefined) return { store, directory }
  const isDatabase = 'keepFiles' in store && 'documents' in store && 'migrate' in store
  return isDatabase ? ({ store, directory } as CopyEnd) : undefined
}

/** Returns a directory that is created on the first copy and removed when the process ends. */
function temporaryDirectory(): string {
  const directory = join(tmpdir(), `jurist-files-${randomUUID()}`)
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function onStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}

/**
 * Makes sure that results can be written before anything runs.
 *
 * @throws `usage-invalid` if the directory cannot be written
 */
export async function checkWritable({ directory, shown }: Results): Promise<void> {
  if (directory !== undefined) await tryWriting(await checkIsDirectory(directory), shown)
}

/**
 * Returns the nearest existing directory: the results directory or one of its parents.
 *
 * @throws `usage-invalid` if the path is a file or cannot be a directory
 */
async function checkIsDirectory(directory: string): Promise<string> {
  for (let at = directory; ; at = dirname(at)) {
    const found = await stat(at).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT' && thrown.code !== 'ENOTDIR')
        throw usageInvalid('--results', `${at} cannot hold results: ${thrown.message}. Choose another with --results.`)
    })
    if (found?.isDirectory() === true) return at
    if (found !== undefined)
      throw usageInvalid('--results', `${at} is a file, and results need a directory. Choose another with --results.`)
  }
}

async function tryWriting(directory: string, shown: string): Promise<void> {
  const probe = join(directory, `.jurist-${process.pid}`)
  try {
    await (await open(probe, 'wx')).close()
    await rm(probe, { force: true })
  } catch {
    throw usageInvalid(
      '--results',
      `The results directory ${shown} cannot be written. Change its permissions, or choose another with --results.`,
    )
  }
}

export async function makeParent(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
}

/** Whether a string is the URL of a database rather than the path of a directory. */
export function isDatabase(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text)
}

/**
 * Opens the store of a database. Its driver is not a dependency of this package, so it comes from the project.
 *
 * @param directories possible directories of the project
 * @throws `usage-invalid` if the driver is missing
 */
export async function databaseStore(address: string, directories: readonly string[]): Promise<PostgresStore> {
  const project = [...directories, import.meta.dirname].find(hasDriver) ?? missing()
  const { postgresStore } = await import('@jurist/distributed/postgres')
  return postgresStore(address, { project })
}

function hasDriver(directory: string): boolean {
  try {
    createRequire(join(directory, 'jurist.config.js')).resolve('pg')
    return true
  } catch {
    return false
  }
}

function missing(): never {
  throw usageInvalid(
    '--results',
    'Results in PostgreSQL need the package pg. Install it in the project: npm install --save-dev pg',
  )
}
