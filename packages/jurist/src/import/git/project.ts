import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { type Document, parseDocument, stringify } from 'yaml'
import type { ImportChoices, LeftOut } from './candidates.js'
import type { SetupCommand } from './project-commands.js'

/** The state of a project that is imported, as `dataset.json` keeps it. */
export interface ImportedState {
  readonly name: string
  /** Where the history is, without user names and passwords. */
  readonly repository: string
  /** The items, newest first. */
  readonly items: readonly ImportedItem[]
  /** Commits that gave no item, with the reason. */
  readonly leftOut: Readonly<Record<string, LeftOut>>
  readonly choices: ImportChoices
}

/** An item, and the commit that it was made of. */
interface ImportedItem {
  readonly id: string
  readonly commit: string
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
  const { name, repository, items, leftOut, choices } = state
  const manifest = {
    schemaVersion: 1,
    name,
    version: '1',
    items: [
      ...items.map(({ id }) => ({ id, path: `items/${id}` })),
      ...proposed.map((id) => ({ id, path: `items/${id}`, status: 'disabled' })),
    ],
    metadata: { source: { repository }, choices, leftOut },
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
    choices: v.optional(v.custom<ImportChoices>(isPlainObject), {}),
  }),
})

const itemSchema = v.object({ metadata: v.object({ source: v.object({ commit: v.string() }) }) })

/** What `saveState` wrote; `undefined` if there is no such file. */
export async function readState({ dataset, item }: ProjectPlaces): Promise<ImportedState | undefined> {
  const read = async (file: string) => parseOrUndefined(await readFile(file, 'utf8').catch(() => ''))
  const state = v.safeParse(stateSchema, await read(join(dataset, 'dataset.json')))
  if (!state.success) return undefined
  const { name, items, metadata } = state.output
  const enabled = items.filter(({ status }) => status !== 'disabled')
  const made = await Promise.all(
    enabled.map(async ({ id }) => {
      const found = v.safeParse(itemSchema, await read(join(item(id), 'item.json')))
      return { id, commit: found.success ? found.output.metadata.source.commit : '' }
    }),
  )
  return {
    name,
    repository: metadata.source.repository,
    items: made,
    leftOut: metadata.leftOut,
    choices: metadata.choices,
  }
}

/** What the config of a project says beside its dataset. */
export interface ProjectConfig {
  readonly name: string
  readonly sandbox: string | undefined
  readonly setup: SetupCommand | readonly SetupCommand[] | undefined
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

/** Changes what the config of a project says of setup, sandbox and tests. The rest of it stays, with its comments. */
export async function rewriteProject(
  { root }: ProjectPlaces,
  { sandbox, setup, tests }: Omit<ProjectConfig, 'name'>,
): Promise<void> {
  const file = join(root, 'jurist.config.yaml')
  const document: Document = parseDocument(await readFile(file, 'utf8'))
  const [experiment] = Object.keys((document.toJS() as { readonly experiments?: object } | null)?.experiments ?? {})
  if (experiment === undefined) return
  const set = (path: readonly string[], value: unknown) =>
    value === undefined ? document.deleteIn(path) : document.setIn(path, document.createNode(value, { flow: true }))
  set(['experiments', experiment, 'sandbox'], sandbox ?? 'none')
  set(['experiments', experiment, 'setup'], setup)
  set(['juries', 'done'], tests)
  await writeFile(file, document.toString({ lineWidth: 0 }))
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

function setupText(setup: SetupCommand | readonly SetupCommand[]): string {
  return `    # Runs once for each content of its inputs, on this machine. Each workspace gets a copy of what it keeps. Of several, a
    # commit gets the first whose file "when" it has.
    setup: ${inline(setup)}
`
}

function inline(value: object): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
}
