import { JuristError } from '@jurist/core'
import { defineExperiment, type ExperimentOptions } from '@jurist/experiment'
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
    const found = await problemsOf(host, (names ?? []) as readonly string[], flags)
    const errors = found.filter(({ severity }) => severity === 'error').length
    if (host.flags.json === true || format === 'json') host.json({ problems: found, errors })
    else host.terminal.out(`${reportOf(found)}\n`)
    const code: ExitCode = errors > 0 || (flags.strict === true && found.length > 0) ? 1 : 0
    if (code !== 0) host.terminal.err(closingLine(code, counted(found.length, 'problem')))
    return code
  },
}

async function problemsOf(host: Host, names: readonly string[], flags: Flags): Promise<readonly Found[]> {
  try {
    const loaded = await host.config()
    const experiments = await experimentsOf(loaded, names, true)
    return (await Promise.all(experiments.map((one) => problemsWith(one, loaded.file, host, flags)))).flat()
  } catch (thrown) {
    if (!JuristError.is(thrown, 'config-invalid')) throw thrown
    const { file, issues } = thrown.details
    return issues.map(({ path, problem, remedy }) => ({ file, place: path, problem, remedy, severity: 'error' }))
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
    return problems.map(({ file, field, problem, remedy, severity }) => {
      return { file: `${experiment.name}: ${file}`, place: field ?? '', problem, remedy, severity }
    })
  } catch (thrown) {
    if (!JuristError.is(thrown, 'dataset-invalid')) throw thrown
    return thrown.details.issues.map(({ file, field, problem, remedy, severity }) => {
      return { file: `${experiment.name}: ${file}`, place: field ?? '', problem, remedy, severity }
    })
  }
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
function reportOf(found: readonly Found[]): string {
  const files = [...new Set(found.map(({ file }) => file))]
  const blocks = files.map((file) => {
    const lines = found.filter((one) => one.file === file).map(lineOf)
    return [safeLine(file), ...lines].join('\n')
  })
  const errors = found.filter(({ severity }) => severity === 'error').length
  const warnings = found.length - errors
  const count = `${counted(errors, 'error')}${warnings > 0 ? `, ${counted(warnings, 'warning')}` : ''}`
  return [
    ...blocks,
    '',
    found.length === 0
      ? 'No problem found. Nothing was run.'
      : `${count} in ${counted(files.length, 'file')}. Nothing was run.`,
  ].join('\n')
}

function lineOf({ place, problem, remedy, severity }: Found): string {
  const kind = severity === 'warning' ? 'warning: ' : ''
  return `  ${safeLine(place).padEnd(18)} ${kind}${safeLine(problem)}  ${safeLine(remedy)}`.trimEnd()
}
