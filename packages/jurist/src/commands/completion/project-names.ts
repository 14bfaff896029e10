import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { isRunId } from '@jurist/experiment/internal/results'
import type { Completes, NameKind } from '@jurist/experiment/plugin'
import { findConfig } from '../../config/load-config.js'
import { documentValue, isDocument } from '../../config/read-document.js'

/**
 * The kinds of names that placeholders of flags and arguments stand for, such as `<run>`. A declaration may override
 * them.
 */
const placeholders: Readonly<Record<string, NameKind>> = {
  experiment: 'experiment',
  calibration: 'calibration',
  run: 'run',
  baseline: 'run',
  candidate: 'run',
  item: 'item',
  file: 'file',
  path: 'file',
  dir: 'directory',
  directory: 'directory',
  place: 'directory',
  results: 'directory',
}

/** Returns the possible values of a flag or an argument, from its usage such as `--baseline <run>`. */
export function completesOf(usage: string, declared: Completes | undefined): Completes | undefined {
  const [, placeholder = ''] = /[<[]([^>\].]+)(?:\.\.\.)?[>\]]/.exec(usage) ?? []
  return declared ?? placeholders[placeholder]
}

/** A candidate with its description. */
export interface Candidate {
  readonly value: string
  readonly description?: string
}

/** The offer for a shell: candidates, or files, which the shell completes itself. */
export type Offer = { readonly candidates: readonly Candidate[] } | { readonly paths: 'files' | 'directories' }

/** The project in which names are searched. */
export interface NamePlace {
  readonly cwd: string
  readonly config?: string | undefined
  readonly results?: string | undefined
  /** The words of the line so far: items and variants come from the experiments or runs among them. */
  readonly words: readonly string[]
}

/** Larger datasets and runs are not read while the user types. */
const maxDatasetBytes = 5_000_000
const mostRuns = 500

/** Whether a name can be typed and printed: it must not move the cursor or end the line. */
export function isShowable(name: string): boolean {
  return name !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
}

/**
 * Returns the names of a kind in a project. Runs are the directories in the results. The project's code never runs: if
 * the config is a program, only experiments and items with runs are known.
 */
export async function projectNames(kind: NameKind, place: NamePlace): Promise<readonly Candidate[]> {
  const file = await findConfig(place.cwd, place.config)
  const directory = file === undefined ? place.cwd : dirname(file)
  const config = record(file === undefined ? undefined : await documentValue(file))
  const results = resultsDirectory(place, config['store'], directory)
  const experiments = record(config['experiments'])
  switch (kind) {
    case 'experiment':
      return unique([...Object.keys(experiments), ...(await directoriesIn(results))]).map(named('experiment'))
    case 'calibration':
      return Object.keys(record(config['calibrations'])).map(named('calibration'))
    case 'jury':
      return Object.keys(record(config['juries'])).map(named('jury'))
    case 'variant':
      return unique(namedExperiments(experiments, place).flatMap((one) => Object.keys(record(one['variants'])))).map(
        named('variant'),
      )
    case 'item':
      return unique([
        ...(await itemsOf(namedExperiments(experiments, place), directory)),
        ...(file === undefined || isDocument(file) ? [] : await storedItems(results, place)),
      ]).map(named('item'))
    case 'run':
      return runsIn(results)
    default:
      return []
  }
}

function named(description: string): (value: string) => Candidate {
  return (value) => ({ value, description })
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {}
}

/** Returns the experiments that the line names, otherwise all. */
function namedExperiments(experiments: Readonly<Record<string, unknown>>, { words }: NamePlace) {
  const named = Object.keys(experiments).filter((name) =>
    words.some((word) => word === name || word.startsWith(`${name}@`)),
  )
  return (named.length > 0 ? named : Object.keys(experiments)).map((name) => record(experiments[name]))
}

/** Returns `undefined` for a database, which is not queried while the user types. */
function resultsDirectory({ cwd, results }: NamePlace, store: unknown, directory: string): string | undefined {
  const given = results ?? (process.env.JURIST_RESULTS || undefined)
  const place =
    given === undefined ? resolve(directory, typeof store === 'string' ? store : 'results') : resolve(cwd, given)
  return [given, store].some((one) => typeof one === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(one))
    ? undefined
    : place
}

async function directoriesIn(directory: string | undefined): Promise<readonly string[]> {
  if (directory === undefined) return []
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const own = ['sessions', 'sweeps']
  return entries.filter((entry) => entry.isDirectory() && !own.includes(entry.name)).map(({ name }) => name)
}

/** Returns references to runs, newest first. */
async function runsIn(results: string | undefined): Promise<readonly Candidate[]> {
  const experiments = await directoriesIn(results)
  const runs = await Promise.all(
    experiments.map(async (experiment) => {
      const names = await readdir(join(results ?? '', experiment)).catch(() => [])
      return names.filter(isRunId).map((value) => ({ value, description: `run of ${experiment}` }))
    }),
  )
  const found = runs.flat().sort((a, b) => (a.value < b.value ? 1 : -1))
  const latest = found.length === 0 ? [] : [{ value: 'latest', description: 'the newest run' }]
  const ofExperiments = experiments.flatMap((name) => [
    { value: name, description: 'its newest run' },
    { value: `${name}@baseline`, description: 'the baseline of its newest run' },
  ])
  return [...latest, ...ofExperiments, ...found.slice(0, mostRuns)]
}

async function itemsOf(experiments: readonly Readonly<Record<string, unknown>>[], directory: string) {
  const items = await Promise.all(experiments.map(({ dataset }) => idsIn(dataset, directory).catch(() => [])))
  return unique(items.flat())
}

/** Returns the items of the newest run of each experiment that the line names, otherwise of all experiments. */
async function storedItems(results: string | undefined, { words }: NamePlace): Promise<readonly string[]> {
  const experiments = await directoriesIn(results)
  const wanted = experiments.filter((name) => words.some((word) => word.split('@')[0] === name))
  const items = (wanted.length > 0 ? wanted : experiments).map(async (name) => {
    const experiment = join(results ?? '', name)
    const newest = (await readdir(experiment)).filter(isRunId).sort().at(-1)
    const index = join(experiment, newest ?? '', 'trials.jsonl')
    if ((await stat(index)).size > maxDatasetBytes) return []
    const lines = (await readFile(index, 'utf8')).trimEnd().split('\n')
    return lines.flatMap((line) => record(record(JSON.parse(line))['trial'])['itemId'] ?? []).map(String)
  })
  const read = await Promise.all(items.map((one) => one.catch(() => [])))
  return read.flat().sort()
}

async function idsIn(dataset: unknown, directory: string): Promise<readonly string[]> {
  if (Array.isArray(dataset)) return dataset.flatMap((item) => record(item)['id'] ?? []).map(String)
  const { isDatasetPath, openFrom, pathOf, withPath } = await import('@jurist/experiment/internal')
  if (!isDatasetPath(dataset)) return []
  const place = resolve(directory, pathOf(dataset))
  const found = await stat(place)
  const { size } = found.isDirectory() ? await stat(join(place, 'dataset.json')) : found
  if (size > maxDatasetBytes) return []
  const { entries } = await openFrom(withPath(dataset, place))
  return entries.map(({ id }) => id)
}
