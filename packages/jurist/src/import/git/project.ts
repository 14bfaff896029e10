import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { stringify } from 'yaml'
import type { LeftOut } from './candidates.js'
import type { SetupCommand } from './project-commands.js'

/** The state of a project that is imported, as `dataset.json` keeps it. */
export interface ImportedState {
  readonly name: string
  /** Where the history is, without user names and passwords. */
  readonly repository: string
  /** The ids of the items, newest first. */
  readonly items: readonly string[]
  /** Commits that gave no item, with the reason. */
  readonly leftOut: Readonly<Record<string, LeftOut>>
}

/** The places of a project. */
export interface ProjectPlaces {
  readonly root: string
  readonly dataset: string
  readonly item: (id: string) => string
}

/** The places of the project in a directory. */
export function projectPlaces(root: string): ProjectPlaces {
  const dataset = join(root, 'dataset')
  return { root, dataset, item: (id) => join(dataset, 'items', id) }
}

/** Writes `dataset.json`. Items that are only proposed are disabled there, so that no run takes them. */
export async function saveState(
  { dataset }: ProjectPlaces,
  state: ImportedState,
  proposed: readonly string[] = [],
): Promise<void> {
  const { name, repository, items, leftOut } = state
  const manifest = {
    schemaVersion: 1,
    name,
    version: '1',
    items: [
      ...items.map((id) => ({ id, path: `items/${id}` })),
      ...proposed.map((id) => ({ id, path: `items/${id}`, status: 'disabled' })),
    ],
    metadata: { source: { repository }, leftOut },
  }
  await mkdir(dataset, { recursive: true })
  await writeFile(join(dataset, 'dataset.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const stateSchema = v.object({
  name: v.string(),
  items: v.array(v.object({ id: v.string(), status: v.optional(v.string()) })),
  metadata: v.object({
    source: v.object({ repository: v.string() }),
    leftOut: v.custom<ImportedState['leftOut']>(isPlainObject),
  }),
})

/** What `saveState` wrote; `undefined` if there is no such file. */
export async function readState({ dataset }: ProjectPlaces): Promise<ImportedState | undefined> {
  const text = await readFile(join(dataset, 'dataset.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const state = v.safeParse(stateSchema, parseOrUndefined(text))
  if (!state.success) return undefined
  const { name, items, metadata } = state.output
  return {
    name,
    repository: metadata.source.repository,
    items: items.flatMap(({ id, status }) => (status === 'disabled' ? [] : [id])),
    leftOut: metadata.leftOut,
  }
}

/** What the config of a project says beside its dataset. */
export interface ProjectConfig {
  readonly name: string
  readonly sandbox: string | undefined
  readonly setup: SetupCommand | undefined
  /** The tests of the project as they are, for `jurist judge` and `jurist hook`. */
  readonly tests: Readonly<Record<string, unknown>>
}

/** Writes the config and the files beside it. */
export async function writeProject({ root }: ProjectPlaces, config: ProjectConfig): Promise<readonly string[]> {
  const files = { 'jurist.config.yaml': configText(config), '.gitignore': 'results/\n.jurist/\n' }
  await mkdir(root, { recursive: true })
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text)
  return Object.keys(files)
}

function configText({ name, sandbox, setup, tests }: ProjectConfig): string {
  return `# Tasks of the history of ${name}. Each is judged by the tests of its commit (see the item.json of each item).
experiments:
  ${name}:
    dataset: dataset
    # Any program that works in its current directory, such as Codex: [codex, exec, --full-auto, "{{prompt}}"].
    agent: { command: [claude, -p, "{{prompt}}", --permission-mode, acceptEdits] }
    # Where commands of agents and judges run: none (on this machine), auto, bubblewrap, docker:<image>.
    sandbox: ${sandbox ?? 'none'}
${setup === undefined ? '' : setupText(setup)}    # The items describe the command that runs their tests. You imported them from your own repository.
    trustItems: true
juries:
  # The tests as they are: jurist judge <directory> --jury done, and jurist hook.
  done: ${inline(tests)}
`
}

function setupText(setup: SetupCommand): string {
  return `    # Runs once for each content of its inputs, on this machine. Each workspace gets a copy of what it keeps.
    setup: ${inline(setup)}
`
}

function inline(value: object): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
}
