import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'
import type { Plugin } from '@jurist/experiment/plugin'
import { usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { regularFileText } from '@jurist/kit/regular-file'
import type { JuristConfig } from './config.js'
import { isConfig } from './config-options.js'
import { configFromDocument } from './described-config.js'
import { type Loading, loadModule } from './module-config.js'
import { pluginsOf } from './plugins.js'
import { type ConfigIssue, collectIssues, configInvalid, type Report } from './problems.js'
import { isDocument, readDocument } from './read-document.js'

/** A config and its file. */
export interface LoadedConfig {
  readonly file: string
  /** Paths of the config are relative to it. */
  readonly directory: string
  readonly config: JuristConfig
  /** The plug-ins from the key `plugins`. */
  readonly plugins: readonly Plugin[]
  /** Notices for the user, one sentence each. */
  readonly notices: readonly string[]
}

/**
 * Loads and checks a config file of any form.
 *
 * @throws `config-invalid` with every problem
 */
export async function loadConfig(file: string, loading: Loading = {}): Promise<LoadedConfig> {
  const directory = dirname(file)
  const { config, plugins, issues } = await readConfig(file, loading)
  if (issues.length > 0) throw configInvalid(file, issues)
  return { file, directory, config, plugins, notices: await readVariables(config.envFile, directory) }
}

/** The content of a config file with its problems. If there are issues, the config lacks invalid parts. */
interface ReadConfig {
  readonly config: JuristConfig
  readonly plugins: readonly Plugin[]
  readonly issues: readonly ConfigIssue[]
}

/**
 * Reads a config file of any form. If there are problems, the options of its experiments are checked as well, so that
 * all issues are known together.
 *
 * @throws `config-invalid` for a file that cannot be read at all
 */
export async function readConfig(file: string, loading: Loading = {}): Promise<ReadConfig> {
  const directory = dirname(file)
  const document = isDocument(file) ? await readDocument(file) : undefined
  const { issues, report } = collectIssues(document?.at)
  const value = document === undefined ? await loadModule(file, loading) : document.value
  const plugins = await pluginsOf(Object(value).plugins, { file, directory, report, loading })
  const lacksPlugins = issues.length > 0
  const config =
    document === undefined
      ? value
      : await configFromDocument(value, { directory, report, loading, plugins, lacksPlugins })
  const checked = collectIssues(document?.at)
  if (isConfig(config, checked.report) && issues.length === 0) return { config, plugins, issues }
  const ofExperiments = collectIssues(document?.at)
  await reportOptions(config, ofExperiments.report)
  const all = together(together(issues, checked.issues), ofExperiments.issues)
  return { config: Object(config), plugins, issues: inOrder(all) }
}

/** Reads the `envFile` of a config. A missing file is a notice, since CI usually sets variables in another way. */
async function readVariables(given: JuristConfig['envFile'], directory: string): Promise<readonly string[]> {
  if (given === undefined) return []
  const { path, required = false } = typeof given === 'string' ? { path: given } : given
  const file = resolve(directory, path)
  if (required) await requireEnvFile(file)
  else if (!(await readEnvFile(file)))
    return [`envFile ${path} does not exist; variables come from the environment alone.`]
  return []
}

/** Invalid parts are left out of a config. Their absence and their inner problems are not further issues. */
function together(issues: readonly ConfigIssue[], more: readonly ConfigIssue[]): readonly ConfigIssue[] {
  return [...issues, ...more.filter(({ path }) => !issues.some((issue) => isSamePlace(issue.path, path)))]
}

/** Sorts the issues of a document by position. */
function inOrder(issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  return issues.toSorted((a, b) => {
    const [[line, column], [otherLine, otherColumn]] = [positionOf(a), positionOf(b)]
    return line - otherLine || column - otherColumn
  })
}

function positionOf({ path }: ConfigIssue): readonly [line: number, column: number] {
  const [, line, column] = /\(line (\d+), column (\d+)\)$/.exec(path) ?? []
  return [Number(line ?? 0), Number(column ?? 0)]
}

/** Reports the problems in the options of a config's experiments. An experiment that is a function is not called. */
async function reportOptions(config: unknown, report: Report): Promise<void> {
  const experiments = isPlainObject(config) ? config.experiments : undefined
  if (!isPlainObject(experiments)) return
  const { defineExperiment } = await import('@jurist/experiment')
  for (const [name, options] of Object.entries(experiments)) {
    if (!isPlainObject(options)) continue
    try {
      defineExperiment({ ...options, name } as ExperimentOptions)
    } catch (thrown) {
      if (!JuristError.is(thrown, 'experiment-invalid')) throw thrown
      for (const { field, problem, remedy } of thrown.details.issues) {
        // An invalid value already has an issue at its description.
        const isLeftOut = field in options && options[field] === undefined
        if (!isLeftOut) report(['experiments', name, field], problem, remedy)
      }
    }
  }
}

/** Whether one place is the other or contains it. */
export function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => `${path.split(' ', 1)[0]}.`) as [string, string]
  return a.startsWith(b) || b.startsWith(a)
}

/** The names of config files, in the order of the search. */
const configNames: readonly string[] = [
  'jurist.config.ts',
  'jurist.config.mts',
  'jurist.config.js',
  'jurist.config.mjs',
  'jurist.config.yaml',
  'jurist.config.yml',
  'jurist.config.json',
]

/**
 * Returns the config file: the given one, otherwise the nearest one from `directory` upwards, if any.
 *
 * @throws `usage-invalid` if the given file is missing, or if a directory contains two
 */
export async function findConfig(directory: string, given: string | undefined): Promise<string | undefined> {
  if (given !== undefined) {
    const file = resolve(directory, given)
    if (await isFile(file)) return file
    throw usageInvalid(
      '--config',
      `The config file ${given} does not exist. Correct --config, or leave it out to use the nearest config.`,
    )
  }
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = await configsIn(at)
    if (found.length > 1)
      throw usageInvalid(
        '--config',
        `${at} holds ${found.map((file) => basename(file)).join(' and ')}. Keep one, or say which with --config.`,
      )
    if (found[0] !== undefined || at === dirname(at)) return found[0]
  }
}

export function noConfig(): Error {
  return usageInvalid(
    '--config',
    `No jurist.config.{ts,mts,js,mjs,yaml,yml,json} in this directory or above. Make one: ${commandLine('init')}`,
  )
}

export async function configsIn(directory: string): Promise<readonly string[]> {
  const files = configNames.map((name) => join(directory, name))
  const there = await Promise.all(files.map(isFile))
  return files.filter((_, index) => there[index])
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/**
 * Adds the `NAME=value` lines of a file to the environment of this process. Existing variables take precedence. Returns
 * whether the file exists.
 *
 * @throws `usage-invalid` if the file exists but cannot be read
 */
async function readEnvFile(path: string): Promise<boolean> {
  const text = await regularFileText(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    const problem = `The file of variables ${path} cannot be read: ${thrown.message}.`
    throw usageInvalid('--env-file', `${problem} Give a file of NAME=value lines.`)
  })
  if (text === undefined) return false
  for (const [name, value] of Object.entries(parseEnv(text)))
    if (process.env[name] === undefined && value !== undefined) process.env[name] = value
  return true
}

/**
 * Like `readEnvFile`, for a file that must exist.
 *
 * @throws `usage-invalid` if it does not exist
 */
export async function requireEnvFile(path: string): Promise<void> {
  if (await readEnvFile(path)) return
  throw usageInvalid('--env-file', `The file of variables ${path} does not exist. Make it, or leave the option out.`)
}

/**
 * Returns the plug-ins of a config. Nothing else in it is checked.
 *
 * @throws `config-invalid` for a file that cannot be read at all, and for plug-ins that cannot be loaded
 */
export async function pluginsIn(file: string): Promise<readonly Plugin[]> {
  // A config without plug-ins need not be read further.
  if (!(await regularFileText(file)).includes('plugins')) return []
  const { value, at } = isDocument(file) ? await readDocument(file) : { value: await loadModule(file), at: undefined }
  const { issues, report } = collectIssues(at)
  const plugins = await pluginsOf(Object(value).plugins, { file, directory: dirname(file), report })
  if (issues.length > 0) throw configInvalid(file, issues)
  return plugins
}
