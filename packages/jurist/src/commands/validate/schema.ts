import { dirname, relative, resolve } from 'node:path'
import { type ExitCode, flag, type Plugin, text, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { checkOutputFile, writeOutput } from '../../command-kit/files.js'
import { closingLine, type Host } from '../../command-kit/host.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { configSchema, type SchemaState, schemaFile, schemaState } from '../../config/config-schema.js'
import { findConfig, pluginsIn } from '../../config/load-config.js'

export const schema: Subcommand = subcommand({
  arguments: [],
  flags: {
    output: flag('-o, --output <file>', `write here; - is stdout (default: ${schemaFile} beside the config)`, text),
    check: toggle('--check', 'write nothing; exit with code 1 when the file is missing or of another version'),
  },
  note: `Editors check and complete a YAML config with the schema when the config begins with
# yaml-language-server: $schema=./${schemaFile}`,
  examples: ['schema', 'schema --check', 'schema -o .vscode/jurist.schema.json'],
  check({ output, check }, problem) {
    if (check && output === '-') problem('--check', '--check compares a file. Name one with -o.')
  },
  async run(host, _, { output, check }) {
    if (output === '-') {
      host.terminal.out(await configSchema(await pluginsOfHost(host)))
      return 0
    }
    const file = output === undefined ? await besideConfig(host) : resolve(host.cwd, output)
    const shown = relative(host.cwd, file)
    const plugins = await pluginsOfHost(host)
    const state = await schemaState(file, plugins)
    if (check) return checked(host, shown, state, output !== undefined)
    return written(host, { file: shown, state, isNamed: output !== undefined, plugins })
  },
})

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

const states: { readonly [state in SchemaState]: string } = {
  current: 'is up to date',
  old: 'is of another version of Jurist',
  missing: 'does not exist',
  foreign: 'is not a schema of Jurist',
}

function checked(host: Host, file: string, state: SchemaState, isNamed: boolean): ExitCode {
  if (host.flags.json === true) host.json({ file, state })
  else host.terminal.out(`${file} ${states[state]}.\n`)
  if (state === 'current') return 0
  host.terminal.err(closingLine(1, `write it with: ${commandLine('schema', ...(isNamed ? ['-o', file] : []))}`))
  return 1
}

interface Writing {
  readonly file: string
  readonly state: SchemaState
  readonly isNamed: boolean
  readonly plugins: readonly Plugin[]
}

async function written(host: Host, { file, state, isNamed, plugins }: Writing): Promise<ExitCode> {
  if (state === 'foreign')
    throw usageInvalid('--output', `${file} ${states.foreign}. Nothing was written. Name another file with -o.`)
  await checkOutputFile(host, isNamed ? '--output' : 'schema', file)
  if (state !== 'current') await writeOutput(host, file, await configSchema(plugins))
  if (host.flags.json === true) host.json({ file, isChanged: state !== 'current' })
  else host.terminal.out(state === 'current' ? `${file} ${states.current}.\n` : `Wrote ${file}.\n`)
  return 0
}
