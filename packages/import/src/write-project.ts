import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProvisionedWorkspace } from '@jurist/workspace'
import type { SetupCommand } from './git/project-commands.js'

export function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

/** An item of a dataset. A disabled item is not in any run. */
export interface ListedItem {
  readonly id: string
  readonly isDisabled?: boolean
}

export function entryOf({ id, isDisabled = false }: ListedItem) {
  return { id, path: `items/${id}`, ...(isDisabled ? { status: 'disabled' } : {}) }
}

export function datasetFile(name: string, items: readonly ListedItem[], metadata?: object): string {
  return jsonFile({ schemaVersion: 1, name, version: '1', items: items.map(entryOf), metadata })
}

export function itemDirectory(root: string, id: string): string {
  return join(root, 'dataset', 'items', id)
}

/** Prevents the copy from being deleted. */
export async function kept(copying: Promise<ProvisionedWorkspace>): Promise<ProvisionedWorkspace> {
  const copy = await copying
  copy.keep()
  await copy[Symbol.asyncDispose]()
  return copy
}

/** A project with an imported dataset. */
export interface ImportedProject {
  /** The items and their judges in one sentence, for the comment of the config. */
  readonly about: string
  readonly name: string
  /** Default: the caller writes `dataset.json`. */
  readonly items?: readonly ListedItem[]
  /** The metadata of the dataset. */
  readonly metadata?: object
  /** The name or the description of a sandbox. Default: none. */
  readonly sandbox?: object | string | undefined
  readonly setup?: SetupCommand | readonly SetupCommand[] | undefined
  /** The rest of the experiment, as lines of YAML with comments. */
  readonly settings: readonly string[]
  /** A jury beside the experiment, for `jurist judge` and `jurist hook`. */
  readonly done?: object
}

/** Writes the config, `.gitignore` and, if there are items, `dataset.json`. */
export async function writeProject(root: string, project: ImportedProject): Promise<void> {
  const { about, name, items, metadata, sandbox = 'none', setup, settings, done } = project
  const { stringify } = await import('yaml')
  const inline = (value: unknown) => stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
  const lines = [...settings]
  if (setup !== undefined)
    lines.unshift(
      '# Runs once for each content of its inputs, on this machine. Each workspace gets a copy of what it keeps.',
      ...(Array.isArray(setup) ? ['# Of several, a commit gets the first whose file "when" it has.'] : []),
      `setup: ${inline(setup)}`,
    )
  const config = `# ${about} (see the item.json of each item).
experiments:
  ${inline(name)}:
    dataset: dataset
    # Any program that works in its current directory, such as Codex: [codex, exec, --full-auto, "{{prompt}}"].
    agent: { command: [claude, -p, "{{prompt}}", --permission-mode, acceptEdits] }
    # Where commands of agents and judges run: none (on this machine), auto, bubblewrap, docker:<image>.
    sandbox: ${inline(sandbox)}
${lines.map((line) => `    ${line}\n`).join('')}`
  const juries = () => `juries:
  # The tests as they are: jurist judge <directory> --jury done, and jurist hook.
  done: ${inline(done)}
`
  await writeFiles(root, {
    'jurist.config.yaml': done === undefined ? config : `${config}${juries()}`,
    '.gitignore': 'results/\n.jurist/\n',
    ...(items === undefined ? {} : { 'dataset/dataset.json': datasetFile(name, items, metadata) }),
  })
}
