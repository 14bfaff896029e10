import { dirname, relative, resolve } from 'node:path'
import { type ExitCode, type Plugin, usageInvalid } from '@jurist/experiment/plugin'
import { checkOutputFile, writeOutput } from '../../command-kit/files.js'
import { answer, type Host } from '../../command-kit/host.js'
import { configSchema, schemaFile, schemaState } from '../../config/config-schema.js'
import { findConfig, pluginsIn } from '../../config/load-config.js'

/**
 * Writes the JSON Schema of the config, next to the config or to a file; `-` is stdout. Nothing but a schema of Jurist is
 * overwritten.
 */
export async function writeSchema(host: Host, output: string | true): Promise<ExitCode> {
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
