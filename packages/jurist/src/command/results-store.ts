import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileStore, type ResultStore } from '@jurist/experiment/store'
import { calledFunction, usageInvalid } from '../config/problems.js'
import type { Host } from './host.js'

/** The result store of a command. */
export interface Results {
  readonly store: ResultStore
  /** The absolute results directory; `undefined` for a store of the config's own. */
  readonly directory: string | undefined
  /** The directory, for messages. */
  readonly shown: string
  /** The store's warnings so far. */
  readonly warnings: () => readonly string[]
}

/** The store: `--results`, `JURIST_RESULTS`, the config's `store`, else `results` beside the config. */
export async function resultsOf(host: Host): Promise<Results> {
  const loaded = await host.configIfAny()
  const given = host.flags.results ?? process.env.JURIST_RESULTS
  const configured = loaded?.config.store
  if (given === undefined && configured !== undefined && typeof configured !== 'string') {
    const file = loaded?.file ?? ''
    const store = typeof configured === 'function' ? await calledFunction(configured, file, 'store') : configured
    return { store, directory: undefined, shown: 'the store of the config', warnings: () => [] }
  }
  const directory =
    given !== undefined && given !== ''
      ? resolve(host.cwd, given)
      : resolve(loaded?.directory ?? host.cwd, typeof configured === 'string' ? configured : 'results')
  await checkIsDirectory(directory)
  return resultsIn(directory, shownFromHere(directory), host.note)
}

/** The store of a results directory. Prints each warning of the store once. */
export function resultsIn(directory: string, shown: string, note: (line: string) => void = onStderr): Results {
  const warned = new Set<string>()
  const onWarning = (message: string) => {
    // A store that is read twice warns twice.
    if (!warned.has(message)) note(`warning: ${message}`)
    warned.add(message)
  }
  const store = fileStore(directory, { onWarning })
  return { store, directory, shown, warnings: () => [...warned] }
}

function onStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** A path relative to where the command was started, which `--cwd` does not change. */
function shownFromHere(directory: string): string {
  const short = relative(process.cwd(), directory)
  return short === '' ? '.' : short.startsWith('..') ? directory : short
}

/**
 * Makes sure that results can be written before anything runs.
 *
 * @throws `usage-invalid` when the directory cannot be written
 */
export async function checkWritable({ directory, shown }: Results): Promise<void> {
  if (directory !== undefined) await tryWriting(await checkIsDirectory(directory), shown)
}

/**
 * The nearest directory that exists: the results directory or one above it.
 *
 * @throws `usage-invalid` when the path is a file or cannot be a directory
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

/** Makes a directory for a file that is about to be written. */
export async function makeParent(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
}
