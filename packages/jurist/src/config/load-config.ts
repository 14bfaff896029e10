import { dirname, extname, resolve } from 'node:path'
import { isConfig } from './check-config.js'
import type { JuristConfig } from './config.js'
import { configFromDocument } from './described-config.js'
import { readDocument } from './document-config.js'
import { readEnvFile, requireEnvFile } from './env-file.js'
import { collectIssues } from './issues.js'
import { loadModule } from './module-config.js'
import { configInvalid } from './problems.js'

/** A config, and the file it came from. */
export interface LoadedConfig {
  readonly file: string
  /** Paths of the config are relative to it. */
  readonly directory: string
  readonly config: JuristConfig
  /** What people should know of it, a sentence each. */
  readonly notices: readonly string[]
}

/**
 * Loads and checks a config file of any form.
 *
 * @throws `config-invalid` naming everything that is wrong with it
 */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  const directory = dirname(file)
  const config = /^\.(ya?ml|json)$/.test(extname(file)) ? await documentConfig(file) : await moduleConfig(file)
  return { file, directory, config, notices: await readVariables(config.envFile, directory) }
}

/** Reads the `envFile` of a config. In CI variables come from elsewhere, so a missing file is a notice. */
async function readVariables(given: JuristConfig['envFile'], directory: string): Promise<readonly string[]> {
  if (given === undefined) return []
  const { path, required = false } = typeof given === 'string' ? { path: given } : given
  const file = resolve(directory, path)
  if (required) await requireEnvFile(file)
  else if (!(await readEnvFile(file)))
    return [`envFile ${path} does not exist; variables come from the environment alone.`]
  return []
}

async function moduleConfig(file: string): Promise<JuristConfig> {
  const exported = await loadModule(file)
  const { issues, report } = collectIssues()
  if (!isConfig(exported, report)) throw configInvalid(file, issues)
  return exported
}

async function documentConfig(file: string): Promise<JuristConfig> {
  const document = await readDocument(file)
  const { issues, report } = collectIssues(document.at)
  const config = await configFromDocument(document.value, dirname(file), report)
  const rest = collectIssues(document.at)
  if (isConfig(config, rest.report) && issues.length === 0) return config
  // What could not be read is left out of the config: that it is missing there is no further problem.
  const further = rest.issues.filter(({ path }) => !issues.some((issue) => isSamePlace(issue.path, path)))
  throw configInvalid(file, [...issues, ...further])
}

/** Whether one place is the other, or is within it. */
function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => `${path.split(' ', 1)[0]}.`) as [string, string]
  return a.startsWith(b) || b.startsWith(a)
}
