import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { JuristError } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import type { Dataset, DatasetItem, DatasetProblem, ItemFilter } from '@jurist/experiment/dataset'
import {
  isDatasetPath,
  judgesProblems,
  missingOutputs,
  readQuarantine,
  validateDataset,
} from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { columnRoles, experimentsOf } from '../../command-kit/configured-experiment.js'
import type { Host } from '../../command-kit/host.js'
import { datedQuarantine, gateProblems } from '../../command-kit/quarantine.js'
import { isDataset, openedDataset, type Selection, selected } from '../../command-kit/selection.js'
import { findConfig, type LoadedConfig, readConfig } from '../../config/load-config.js'

/** The problems of one entry of the config. */
export interface Looked {
  readonly found: readonly Found[]
  readonly columns?: Dataset['columns'] | undefined
}

/** Returns the problems of an experiment's dataset, and of the judges and outputs in its items. */
export async function datasetProblems(
  experiment: ExperimentOptions,
  host: Host,
  selection: Selection,
  what: { readonly judges: boolean; readonly outputs: boolean; readonly fixQuarantine?: boolean },
): Promise<Looked> {
  // The check of the options reports a value that cannot be a dataset.
  if (!isDataset(experiment.dataset)) return { found: [] }
  try {
    const dataset = await openedDataset(experiment)
    const { filter, ofItems, without } = await itemProblems((selects) => dataset.problems(selects), experiment.filter)
    if (without > 0)
      host.note(`notice: ${experiment.name}: ${counted(without, 'disabled item')} without files, which do not run.`)
    const problems = what.judges ? [...ofItems, ...(await judgesProblems(experiment, dataset, filter))] : ofItems
    const broken = ofItems.some(({ severity }) => severity === 'error')
    const quarantine = await quarantineProblems(experiment, dataset, host, what.fixQuarantine === true)
    const outputs = broken || !what.outputs ? [] : await outputProblems(experiment, dataset)
    if (selection.filters.length > 0) await selected({ ...experiment, dataset }, selection, host.cwd)
    const settings = broken || !what.judges ? [] : await settingProblems(experiment, dataset, filter)
    const found = foundIn(experiment.name, [...problems, ...outputs, ...quarantine])
    return { found: [...found, ...settings], columns: dataset.columns }
  } catch (thrown) {
    // The check of the options reports it with its place.
    if (JuristError.is(thrown, 'option-invalid') && isDatasetPath(experiment.dataset)) return { found: [] }
    if (!JuristError.is(thrown, 'dataset-invalid')) throw thrown
    return { found: foundIn(experiment.name, await refusedProblems(experiment, thrown.details.issues)) }
  }
}

/** Returns the problems of the quarantine of a dataset. Entries without a first day are a warning, or get one. */
async function quarantineProblems(
  experiment: ExperimentOptions,
  dataset: Dataset,
  host: Host,
  fix: boolean,
): Promise<readonly DatasetProblem[]> {
  const { file } = await readQuarantine(dataset)
  if (file !== null && fix) {
    const dated = await datedQuarantine(host, { file })
    if (dated > 0) host.note(`${basename(file)}: wrote "since" of ${dated === 1 ? '1 entry' : `${dated} entries`}`)
  }
  const quarantine = await readQuarantine(dataset)
  const undated = quarantine.entries.filter(({ since }) => since === undefined)
  return [
    ...quarantine.problems,
    ...gateProblems(quarantine, dataset, experiment),
    ...undated.map(({ item }) => ({
      ...{ file: basename(file ?? ''), item, field: null, severity: 'warning' as const },
      problem: `${item} has no "since".`,
      remedy: `Write the first day, or run ${commandLine('validate', '--fix-quarantine')}.`,
    })),
  ]
}

/** Returns the problems of a refused dataset, including those of items that can be read anyway. */
async function refusedProblems({ dataset, filter }: ExperimentOptions, known: readonly DatasetProblem[]) {
  if (!isDatasetPath(dataset)) return known
  try {
    return (await itemProblems((selects) => validateDataset(dataset, selects), filter)).ofItems
  } catch (thrown) {
    // The check of the options reports the filter.
    if (JuristError.is(thrown, 'option-invalid')) return known
    throw thrown
  }
}

const enabled: ItemFilter = { status: ['active', 'deprecated'] }

/**
 * Returns the problems of the items that a filter selects, or of all items without a filter. Disabled items need no
 * files: those without files are counted, and the filter excludes them.
 */
async function itemProblems(problemsOf: Dataset['problems'], given: ItemFilter | undefined) {
  const filter: ItemFilter = given ?? { status: 'any' }
  const ofItems = await problemsOf(filter)
  if (given !== undefined || !ofItems.some(isWithoutFiles)) return { filter, ofItems, without: 0 }
  const ofEnabled = await problemsOf(enabled)
  const isEnabled = ({ item }: DatasetProblem) => ofEnabled.some((one) => isWithoutFiles(one) && one.item === item)
  const needed = ofItems.filter((one) => !isWithoutFiles(one) || isEnabled(one))
  const without = ofItems.length - needed.length
  return { filter: without === 0 ? filter : enabled, ofItems: needed, without }
}

function isWithoutFiles({ field, item }: DatasetProblem): boolean {
  return field === 'before/' && item !== null
}

/** Returns a problem for each missing output of a dataset without an agent. */
async function outputProblems({ agent, variants, filter }: ExperimentOptions, dataset: Dataset) {
  const agents = variants === undefined ? [agent] : Object.values(variants).map((variant) => variant.agent ?? agent)
  if (agents.every((one) => one !== undefined)) return []
  const items: DatasetItem[] = []
  for await (const item of dataset.items(filter)) items.push(item)
  return missingOutputs(undefined, items, dataset)
}

/** Returns what reading the files of Harbor tasks shows: whether their verdicts can be right. */
async function settingProblems({ name }: ExperimentOptions, dataset: Dataset, filter: ItemFilter): Promise<Found[]> {
  const { checkItemSettings } = await import('@jurist/vet')
  const all: Found[] = []
  for await (const item of dataset.items(filter)) {
    const found = await checkItemSettings(dataset, item)
    const at = (path: string) => `${name}: ${found?.task}/${path}`
    for (const { file, line, check, level, what, remedy } of found?.findings ?? [])
      all.push({
        file: at(file),
        place: `line ${line}`,
        problem: `${level} ${check}: ${what}.`,
        remedy,
        severity: 'warning',
      })
    for (const { file, reason } of found?.notChecked ?? [])
      all.push({
        ...{ file: at(file), place: '', problem: `is not checked: ${reason}.` },
        ...{ remedy: 'Read it yourself: nothing is said of it.', severity: 'warning' as const },
      })
  }
  return all
}

/** Converts the problems of a dataset to those of `validate`. */
export function foundIn(name: string, problems: readonly DatasetProblem[]): readonly Found[] {
  return problems.map(({ file, field, problem, remedy, severity }) => {
    return { file: `${name}: ${file}`, place: field ?? '', problem, remedy, severity }
  })
}

/** Returns a problem for each knowledge directory that does not exist. */
export async function knowledgeProblems({ name, knowledge, variants }: ExperimentOptions, file: string) {
  const places = [
    [`experiments.${name}.knowledge`, knowledge] as const,
    ...Object.entries(variants ?? {}).map(
      ([variant, one]) => [`experiments.${name}.variants.${variant}.knowledge`, one.knowledge] as const,
    ),
  ]
  const found: Found[] = []
  for (const [place, given] of places) {
    if (typeof given?.directory !== 'string') continue
    const isThere = await stat(given.directory).then(
      (one) => one.isDirectory(),
      () => false,
    )
    const problem = `the directory ${given.directory} does not exist.`
    if (!isThere) found.push({ file, place, problem, remedy: 'Make it, or name another.', severity: 'error' })
  }
  return found
}

/**
 * Returns the problems of the datasets of an invalid config, as far as they can be read. Errors are left out, since
 * they are caused by values of the wrong type, which the config's own problems cover.
 */
export async function datasetsOfInvalid(host: Host, names: readonly string[], selection: Selection) {
  const file = await findConfig(host.cwd, host.flags.config)
  if (file === undefined) return []
  const nothing = (): Pick<LoadedConfig, 'config' | 'plugins'> => ({ config: {}, plugins: [] })
  const { config, plugins } = await readConfig(file).catch(nothing)
  const loaded: LoadedConfig = { file, directory: dirname(file), config, plugins, notices: [] }
  const known = Object.keys(config.experiments ?? {})
  const found = known.map(async (name) => {
    if (names.length > 0 && !names.includes(name)) return []
    const [experiment] = await experimentsOf(loaded, [name])
    if (experiment === undefined) return []
    const ofDataset = await datasetProblems(experiment, host, selection, { judges: false, outputs: false })
    return [...(await knowledgeProblems(experiment, file)), ...ofDataset.found]
  })
  return (await Promise.all(found.map((one) => one.catch(() => [])))).flat()
}

export interface Found {
  readonly file: string
  readonly place: string
  readonly problem: string
  readonly remedy: string
  readonly severity: 'error' | 'warning'
}

type Columns = NonNullable<Dataset['columns']>

/** Formats a line for each file of rows with the roles of its columns. */
export function columnLines(columns: ReadonlyMap<string, Columns>): readonly string[] {
  return [...columns].map(([name, uses]) => `${safeLine(name)}: columns read as ${columnRoles(uses)}`)
}

const placeWidth = 18

/** Formats the problems by file, each with its place and remedy. Similar warnings share an entry with their number. */
export function reportOf(found: readonly Found[], checked: string): string {
  if (found.length === 0) return `No problem found in ${checked}. Nothing was run.`
  const groups = new Map<string, { first: Found; times: number }>()
  for (const [at, one] of found.entries()) {
    const kind = kindOf(one, at)
    const { first = one, times = 0 } = groups.get(kind) ?? {}
    groups.set(kind, { first, times: times + 1 })
  }
  const shown = [...groups.values()]
  const files = [...new Set(shown.map(({ first }) => first.file))]
  const blocks = files.map((file) => {
    const lines = shown.filter(({ first }) => first.file === file).map(lineOf)
    return [safeLine(file), ...lines].join('\n')
  })
  const all = counted(new Set(found.map(({ file }) => file)).size, 'file')
  const alike =
    shown.length < found.length ? ' Of warnings that are alike the first is shown; --format json has all.' : ''
  return [...blocks, '', `${countOf(found)} in ${all}. Nothing was run.${alike}`].join('\n')
}

export function countOf(found: readonly Found[]): string {
  const errors = found.filter(({ severity }) => severity === 'error').length
  const warnings = found.length - errors
  return `${counted(errors, 'error')}${warnings > 0 ? `, ${counted(warnings, 'warning')}` : ''}`
}

/** Similar warnings differ only in the file and in row numbers. Errors are never combined. */
function kindOf({ place, problem, remedy, severity }: Found, at: number): string {
  return severity === 'error' ? `${at}` : `${place.replaceAll(/\d+/g, '0')}\n${problem}\n${remedy}`
}

function lineOf({ first, times }: { readonly first: Found; readonly times: number }): string {
  const { problem, remedy, severity } = first
  const place = `  ${safeLine(first.place).padEnd(placeWidth)} `
  const kind = severity === 'error' ? '' : times === 1 ? 'warning: ' : `warning, ${times} times: `
  const text = `${kind}${safeLine(problem)}  ${safeLine(remedy)}`.trimEnd()
  return `${place}${text}`
}
