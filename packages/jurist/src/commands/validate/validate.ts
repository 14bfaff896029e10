import { dirname, join, relative, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { defineExperiment, type ExperimentOptions } from '@jurist/experiment'
import type { Dataset } from '@jurist/experiment/dataset'
import { type DatasetPath, isDatasetPath, labelProblems, openFrom, validateDataset } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import {
  type ExitCode,
  flag,
  oneOf,
  optional,
  type Plugin,
  text,
  toggle,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { datasetFrom, experimentsOf } from '../../command-kit/configured-experiment.js'
import { checkOutputFile, writeOutput } from '../../command-kit/files.js'
import { answer, ended, type Host } from '../../command-kit/host.js'
import { readSelection, type Selection, selectionFlags } from '../../command-kit/selection.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { configSchema, oldSchema, schemaFile, schemaRemedy, schemaState } from '../../config/config-schema.js'
import { findConfig, isSamePlace, type LoadedConfig, pluginsIn } from '../../config/load-config.js'
import {
  columnLines,
  countOf,
  datasetProblems,
  datasetsOfInvalid,
  type Found,
  foundIn,
  knowledgeProblems,
  type Looked,
  reportOf,
} from './validate-datasets.js'

export const validate: Subcommand = subcommand({
  arguments: [['[experiment...]', 'names in the config (default: all)']],
  flags: {
    ...selectionFlags,
    fixQuarantine: toggle('--fix-quarantine', 'write today as the first day of entries in quarantine that have none'),
    strict: toggle('--strict', 'exit with code 1 on warnings too'),
    format: flag('--format <format>', 'console or json (default: console)', oneOf(['console', 'json']), {
      default: 'console',
    }),
    schema: optional(
      '--schema [file]',
      `check nothing, and write the JSON Schema of the config, for editors; - is stdout (default: ${schemaFile} beside the config)`,
      text,
    ),
  },
  note: `Editors check and complete a YAML config with the schema when the config begins with
# yaml-language-server: $schema=./${schemaFile}`,
  examples: ['validate', 'validate add-readme --strict', 'validate --schema'],
  check({ schema }, problem, [names]) {
    if (schema !== undefined && names.length > 0)
      problem('--schema', 'The schema is that of every config. Name no experiment with --schema.')
  },
  async run(host, [names], flags) {
    if (flags.schema !== undefined) return await writeSchema(host, flags.schema)
    const { found, checked, columns } = await problemsOf(host, names, readSelection(flags), flags.fixQuarantine)
    const errors = found.filter(({ severity }) => severity === 'error').length
    if (host.flags.json === true || flags.format === 'json')
      host.json({ problems: found, errors, columns: Object.fromEntries(columns) })
    else host.terminal.out(`${[...columnLines(columns), reportOf(found, checked)].join('\n')}\n`)
    return ended(host, errors > 0 || (flags.strict && found.length > 0) ? 1 : 0, countOf(found))
  },
})

interface Checked {
  readonly found: readonly Found[]
  /** The checked entries, such as `2 experiments, 1 calibration`. */
  readonly checked: string
  /** The roles of the columns of each file of rows, by experiment or calibration. */
  readonly columns: ReadonlyMap<string, NonNullable<Dataset['columns']>>
}

async function problemsOf(
  host: Host,
  names: readonly string[],
  selection: Selection,
  fixQuarantine: boolean,
): Promise<Checked> {
  try {
    const loaded = await host.config()
    const known = Object.keys(loaded.config.experiments ?? {})
    const asked = names.length > 0 ? [...new Set(names)] : known
    const unknown = asked.filter((name) => !known.includes(name))
    // Throws with all unknown names.
    if (unknown.length > 0) await experimentsOf(loaded, unknown)
    // If experiments are named, calibrations are not checked.
    const calibrations = names.length > 0 ? [] : Object.keys(loaded.config.calibrations ?? {})
    const looked = await Promise.all([
      ...asked.map(
        async (name) => [name, await experimentProblems(name, loaded, host, selection, fixQuarantine)] as const,
      ),
      ...calibrations.map(async (name) => [name, await calibrationProblems(name, loaded)] as const),
    ])
    return {
      found: [...(await schemaProblems(loaded)), ...looked.flatMap(([, { found }]) => found)],
      checked: [counted(asked.length, 'experiment'), counted(calibrations.length, 'calibration')].join(', '),
      columns: new Map(looked.flatMap(([name, { columns }]) => (columns === undefined ? [] : [[name, columns]]))),
    }
  } catch (thrown) {
    const found = configProblems(thrown)
    const further = await datasetsOfInvalid(host, names, selection)
    const isNew = ({ place }: Found) => !found.some((one) => isSamePlace(one.place, place))
    return { found: [...found, ...further.filter(isNew)], checked: 'the config', columns: new Map() }
  }
}

/** Returns the problems of an invalid config. Rethrows other errors. */
function configProblems(thrown: unknown): readonly Found[] {
  if (!JuristError.is(thrown, 'config-invalid')) throw thrown
  const { file, issues } = thrown.details
  return issues.map(({ path, problem, remedy }) => ({ file, place: path, problem, remedy, severity: 'error' }))
}

/** Reports the schema next to the config if another version of Jurist wrote it. */
async function schemaProblems({ directory, plugins }: LoadedConfig): Promise<readonly Found[]> {
  const file = join(directory, schemaFile)
  if ((await schemaState(file, plugins)) !== 'old') return []
  return [{ file, place: '', problem: oldSchema, remedy: schemaRemedy(), severity: 'warning' }]
}

async function experimentProblems(
  name: string,
  loaded: LoadedConfig,
  host: Host,
  selection: Selection,
  fixQuarantine: boolean,
): Promise<Looked> {
  try {
    const [experiment] = await experimentsOf(loaded, [name])
    if (experiment === undefined) return { found: [] }
    const { file } = loaded
    const ofOptions = optionProblems(experiment, file)
    const dataset = await datasetProblems(experiment, host, selection, {
      judges: ofOptions.length === 0,
      outputs: true,
      fixQuarantine,
    })
    const options = [...(await knowledgeProblems(experiment, file)), ...ofOptions]
    return { ...dataset, found: [...options, ...dataset.found] }
  } catch (thrown) {
    return { found: configProblems(thrown) }
  }
}

/** Returns the problems of a calibration: those of its options, its items and their labels. */
async function calibrationProblems(name: string, { config, directory, file }: LoadedConfig): Promise<Looked> {
  const entry = config.calibrations?.[name]
  try {
    const options = typeof entry === 'function' ? await entry() : entry
    if (options === undefined) return { found: [] }
    const { items } = options
    // `jurist calibrate --certify --run` provides the labelled trials of a run as items.
    if (items === undefined)
      return { found: 'tiers' in options ? [] : [{ file, ...withoutItems(name), severity: 'error' }] }
    const place = isDatasetPath(items) ? datasetFrom(items, directory) : undefined
    const problems = place === undefined ? [] : await validateDataset(place)
    if (problems.some(({ severity }) => severity === 'error')) return { found: foundIn(name, problems) }
    const dataset = place === undefined ? (items as Exclude<typeof items, DatasetPath>) : await openFrom(place)
    const labels = await labelProblems({ ...options, name, items: dataset })
    return {
      found: foundIn(name, [...problems, ...labels]),
      ...('columns' in dataset ? { columns: dataset.columns } : {}),
    }
  } catch (thrown) {
    const problem = messageOf(thrown)
    return { found: [{ file, place: `calibrations.${name}`, problem, remedy: '', severity: 'error' }] }
  }
}

function withoutItems(name: string) {
  return { place: `calibrations.${name}`, problem: 'has no items.', remedy: 'Add "items": the path of labelled items.' }
}

function optionProblems(experiment: ExperimentOptions, file: string): readonly Found[] {
  const place = `experiments.${experiment.name}`
  try {
    defineExperiment(experiment)
    return []
  } catch (thrown) {
    if (!JuristError.is(thrown, 'experiment-invalid'))
      return [{ file, place, problem: messageOf(thrown), remedy: '', severity: 'error' }]
    return thrown.details.issues.map(({ field, problem, remedy }) => {
      return { file, place: `${place}.${field}`, problem, remedy, severity: 'error' }
    })
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/**
 * Writes the JSON Schema of the config, next to the config or to a file; `-` is stdout. Nothing but a schema of Jurist is
 * overwritten.
 */
async function writeSchema(host: Host, output: string | true): Promise<ExitCode> {
  const plugins = await pluginsOfHost(host)
  if (output === '-') {
    host.terminal.raw(await configSchema(plugins))
    return 0
  }
  const file = output === true ? await besideConfig(host) : resolve(host.cwd, output)
  const shown = relative(host.cwd, file)
  const state = await schemaState(file, plugins)
  if (state === 'foreign')
    throw usageInvalid('--schema', `${shown} is not a schema of Jurist. Nothing was written. Name another file.`)
  await checkOutputFile(host, '--schema', shown)
  if (state !== 'current') await writeOutput(host, shown, await configSchema(plugins))
  const isChanged = state !== 'current'
  answer(host, { file: shown, isChanged }, isChanged ? `Wrote ${shown}.\n` : `${shown} is up to date.\n`)
  return 0
}

/** Loads only the plug-ins of the config, since completion works for an invalid config as well. */
async function pluginsOfHost({ cwd, flags }: Host): Promise<readonly Plugin[]> {
  const config = await findConfig(cwd, flags.config)
  return config === undefined ? [] : pluginsIn(config).catch(() => [])
}

/**
 * Returns the file next to the config, otherwise in this directory. The config is not loaded, since completion works
 * for an invalid one as well.
 */
async function besideConfig({ cwd, flags }: Host): Promise<string> {
  const config = await findConfig(cwd, flags.config)
  return resolve(config === undefined ? cwd : dirname(config), schemaFile)
}
