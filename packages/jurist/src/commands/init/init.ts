import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { flag, oneOf, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { shellWord } from '@jurist/kit/shell-word'
import { shownFromHere } from '@jurist/kit/shown-path'
import { answer } from '../../command-kit/host.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { configSchema, schemaFile } from '../../config/config-schema.js'
import { configsIn } from '../../config/load-config.js'
import { closedWhereItWorks } from './coding.js'
import { projectFiles } from './project.js'
import { firstStep, templateFiles, templates } from './templates.js'

export const init: Subcommand = subcommand({
  arguments: [['[directory]', 'where (default: here)']],
  flags: {
    template: flag('--template <name>', `${templates.join(', ')} (default: minimal)`, oneOf(templates), {
      default: 'minimal',
    }),
    yes: toggle('--yes', 'ask nothing (init never asks)'),
    force: toggle('--force', 'overwrite existing files'),
    schema: toggle(
      '--schema',
      `also write ${schemaFile}, with which editors check a YAML config; again later: jurist validate --schema`,
    ),
  },
  examples: ['init demo', 'init --template yaml --schema'],
  async run(host, [given], { template, force, schema }) {
    const directory = resolve(host.cwd, given ?? '.')
    const { files: made, isClosed } =
      template === 'coding'
        ? await closedWhereItWorks(templateFiles(template))
        : { files: templateFiles(template), isClosed: false }
    const all: Readonly<Record<string, string>> = {
      ...made,
      ...(schema || 'jurist.config.yaml' in templateFiles(template) ? { [schemaFile]: await configSchema() } : {}),
    }
    await refuseFile(directory, given ?? '.')
    const kept = await existing(directory, projectFiles)
    const files = Object.fromEntries(Object.entries(all).filter(([path]) => !kept.includes(path)))
    await refuseSecondConfig(directory, Object.keys(files))
    if (!force) await refuseOverwriting(directory, Object.keys(files))
    await writeAll(directory, files)
    const shown = shownFromHere(directory)
    if (kept.length > 0)
      host.note(
        `Left as they are: ${kept.join(', ')}.${(await lacksJurist(directory)) ? ' Add jurist to package.json: npm install --save-dev jurist' : ''}`,
      )
    if (isClosed)
      host.note(
        'The agent runs in a sandbox and reaches no host. Add that of its model to network.allow in jurist.config.yaml; try it with: npx jurist doctor',
      )
    const paths = Object.keys(files)
    answer(
      host,
      { directory, files: paths, kept },
      `Made ${paths.length} files in ${shown === '.' ? 'this directory' : shown}.\nNext:  ${shown === '.' ? '' : `cd ${shellWord(shown)} && `}${firstStep(template)}\n`,
    )
    return 0
  },
})

/** Whether the project has a `package.json` that does not contain jurist. */
async function lacksJurist(directory: string): Promise<boolean> {
  const text = await readFile(join(directory, 'package.json'), 'utf8').catch(() => undefined)
  return text !== undefined && !/"jurist"\s*:/.test(text)
}

async function writeAll(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files))
    try {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), text)
    } catch (thrown) {
      const problem = `Could not write ${path}: ${failureOf(thrown).message}.`
      throw usageInvalid('directory', `${problem} Choose another directory, or change its permissions.`)
    }
}

async function refuseFile(directory: string, given: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined)
  if (found !== undefined && !found.isDirectory())
    throw usageInvalid('directory', `${given} is a file. Give a directory, or leave it out for this one.`)
}

/** Every command refuses a directory with two configs. */
async function refuseSecondConfig(directory: string, paths: readonly string[]): Promise<void> {
  const other = (await configsIn(directory)).map((file) => basename(file)).find((name) => !paths.includes(name))
  if (other !== undefined)
    throw usageInvalid(
      'init',
      `There is a ${other} already, and a directory has one config. Nothing was written. Move it away, or choose another directory.`,
    )
}

async function refuseOverwriting(directory: string, paths: readonly string[]): Promise<void> {
  const taken = await existing(directory, paths)
  if (taken.length > 0)
    throw usageInvalid(
      'init',
      `These files exist: ${taken.join(', ')}. Nothing was written. Overwrite them with --force.`,
    )
}

async function existing(directory: string, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      stat(join(directory, path)).then(
        () => path,
        () => undefined,
      ),
    ),
  )
  return found.filter((path) => path !== undefined)
}
