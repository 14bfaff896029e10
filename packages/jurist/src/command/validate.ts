import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { defineExperiment, type ExperimentOptions } from '@jurist/experiment'
import { type DatasetProblem, validateDataset } from '@jurist/experiment/dataset'
import type { LoadedConfig } from '../config/load-config.js'
import { counted } from '../terminal/amounts.js'
import { safeLine } from '../terminal/safe-text.js'
import { experimentsOf } from './configured-experiment.js'
import type { ExitCode } from './exit-code.js'
import { closingLine } from './failure-report.js'
import { flagReader } from './flag-values.js'
import type { Host } from './host.js'
import { openedDataset, readSelection, selected, withSelectionFlags } from './selection.js'
import type { Flags, Subcommand } from './subcommand.js'

/** One thing that `validate` found. */
interface Found {
  readonly file: string
  readonly place: string
  readonly problem: string
  readonly remedy: string
  readonly severity: 'error' | 'warning'
}

/** `jurist validate`. */
export const validate: Subcommand = {
  define: (command) =>
    withSelectionFlags(command)
      .argument('[experiment...]', 'names in the config (default: all)')
      .option('--strict', 'warnings fail too')
      .option('--format <format>', 'console or json (default: console)')
      .addHelpText('after', '\nExamples:\n  jurist validate\n  jurist validate add-readme --strict'),
  async run(host, [names], flags) {
    const reader = flagReader()
    const format = reader.oneOf('--format', flags.format, ['console', 'json'] as const)
    reader.done()
    const { found, checked } = await problemsOf(host, (names ?? []) as readonly string[], flags)
    const errors = found.filter(({ severity }) => severity === 'error').length
    if (host.flags.json === true || format === 'json') host.json({ problems: found, errors })
    else host.terminal.out(`${reportOf(found, checked)}\n`)
    const code: ExitCode = errors > 0 || (flags.strict === true && found.length > 0) ? 1 : 0
    if (code !== 0) host.terminal.err(closingLine(code, counted(found.length, 'problem')))
    return code
  },
}

interface Checked {
  readonly found: readonly Found[]
  /** What was looked at, such as `2 experiments, 1 calibration`. */
  readonly checked: string
}

async function problemsOf(host: Host, names: readonly string[], flags: Flags): Promise<Checked> {
  try {
    const loaded = await host.config()
    const known = Object.keys(loaded.config.experiments ?? {})
    const asked = names.length > 0 ? [...new Set(names)] : known
    const unknown = asked.filter((name) => !known.includes(name))
    // Names all of them, and what there is.
    if (unknown.length > 0) await experimentsOf(loaded, unknown)
    const ofExperiments = asked.map((name) => experimentProblems(name, loaded, host, flags))
    // Who names experiments asks for these.
    const calibrations = names.length > 0 ? [] : Object.entries(loaded.config.calibrations ?? {})
    const ofCalibrations = calibrations.map(([name, entry]) => calibrationProblems(name, entry, loaded))
    const checked = [counted(asked.length, 'experiment'), counted(calibrations.length, 'calibration')].join(', ')
    return { found: (await Promise.all([...ofExperiments, ...ofCalibrations])).flat(), checked }
  } catch (thrown) {
    return { found: configProblems(thrown), checked: 'the config' }
  }
}

/** What is wrong with a config; throws again what is no such fault. */
function configProblems(thrown: unknown): readonly Found[] {
  if (!JuristError.is(thrown, 'config-invalid')) throw thrown
  const { file, issues } = thrown.details
  return issues.map(({ path, problem, remedy }) => ({ file, place: path, problem, remedy, severity: 'error' }))
}

/** What is wrong with one experiment; another one may be right. */
async function experimentProblems(
  name: string,
  loaded: LoadedConfig,
  host: Host,
  flags: Flags,
): Promise<readonly Found[]> {
  try {
    const [experiment] = await experimentsOf(loaded, [name])
    if (experiment === undefined) return []
    const { file } = loaded
    return [...(await knowledgeProblems(experiment, file)), ...(await problemsWith(experiment, file, host, flags))]
  } catch (thrown) {
    return configProblems(thrown)
  }
}

/** Directories of knowledge that are not there. */
async function knowledgeProblems({ name, knowledge, variants }: ExperimentOptions, file: string) {
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
    const problem = `there is no directory ${given.directory}.`
    if (!isThere) found.push({ file, place, problem, remedy: 'Make it, or name another.', severity: 'error' })
  }
  return found
}

/** What is wrong with the labelled items of a calibration, where they are a file. */
async function calibrationProblems(
  name: string,
  entry: NonNullable<LoadedConfig['config']['calibrations']>[string],
  { directory, file: config }: LoadedConfig,
): Promise<readonly Found[]> {
  try {
    const { items } = typeof entry === 'function' ? await entry() : entry
    if (typeof items !== 'string') return []
    const problems = await validateDataset(resolve(directory, items))
    return foundIn(name, problems)
  } catch (thrown) {
    return [{ file: config, place: `calibrations.${name}`, problem: messageOf(thrown), remedy: '', severity: 'error' }]
  }
}

async function problemsWith(
  experiment: ExperimentOptions,
  file: string,
  host: Host,
  flags: Flags,
): Promise<readonly Found[]> {
  const options = caught(() => defineExperiment(experiment))
  const found: Found[] = []
  if (JuristError.is(options, 'experiment-invalid'))
    for (const { field, problem, remedy } of options.details.issues)
      found.push({ file, place: `experiments.${experiment.name}.${field}`, problem, remedy, severity: 'error' })
  else if (options !== undefined)
    found.push({
      file,
      place: `experiments.${experiment.name}`,
      problem: messageOf(options),
      remedy: '',
      severity: 'error',
    })
  return [...found, ...(await datasetProblems(experiment, host, flags))]
}

async function datasetProblems(experiment: ExperimentOptions, host: Host, flags: Flags): Promise<readonly Found[]> {
  const reader = flagReader()
  const selection = readSelection(flags, reader)
  reader.done()
  try {
    const dataset = await openedDataset(experiment)
    const problems = await dataset.problems(experiment.filter ?? { status: 'any' })
    if (selection.filters.length > 0) await selected({ ...experiment, dataset }, selection, host.cwd)
    return foundIn(experiment.name, problems)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'dataset-invalid')) throw thrown
    return foundIn(experiment.name, thrown.details.issues)
  }
}

function foundIn(name: string, problems: readonly DatasetProblem[]): readonly Found[] {
  return problems.map(({ file, field, problem, remedy, severity }) => {
    return { file: `${name}: ${file}`, place: field ?? '', problem, remedy, severity }
  })
}

function caught(check: () => unknown): unknown {
  try {
    check()
    return undefined
  } catch (thrown) {
    return thrown
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The problems by file, each with its place, what is wrong and what to do. */
function reportOf(found: readonly Found[], checked: string): string {
  const files = [...new Set(found.map(({ file }) => file))]
  const blocks = files.map((file) => {
    const lines = found.filter((one) => one.file === file).map(lineOf)
    return [safeLine(file), ...lines].join('\n')
  })
  const errors = found.filter(({ severity }) => severity === 'error').length
  const warnings = found.length - errors
  const count = `${counted(errors, 'error')}${warnings > 0 ? `, ${counted(warnings, 'warning')}` : ''}`
  if (found.length === 0) return `No problem found in ${checked}. Nothing was run.`
  return [...blocks, '', `${count} in ${counted(files.length, 'file')}. Nothing was run.`].join('\n')
}

function lineOf({ place, problem, remedy, severity }: Found): string {
  const kind = severity === 'warning' ? 'warning: ' : ''
  return `  ${safeLine(place).padEnd(18)} ${kind}${safeLine(problem)}  ${safeLine(remedy)}`.trimEnd()
}
