import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { shownFromHere } from '@jurist/kit/shown-path'
import { safeLine } from '@jurist/kit/terminal'
import type { ProvisionedWorkspace } from '@jurist/workspace'

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

/** The installation of packages, as in the config. */
export interface SetupCommand {
  /** The file that a commit must contain. */
  readonly when?: string
  readonly command: string | readonly string[]
  readonly inputs: readonly string[]
  readonly keeps: readonly string[]
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

/** A note for the user about an item or a repository, or with `null` about the whole import. */
export interface ItemNote {
  readonly of: string | null
  readonly note: string
}

export async function sourceFile(host: CommandHost, given: string, remedy: string): Promise<string> {
  const file = resolve(host.cwd, given)
  if ((await stat(file).catch(() => undefined))?.isFile() ?? false) return file
  throw usageInvalid('source', `${given} is not a file. ${remedy}`)
}

export async function sourceDirectory(host: CommandHost, given: string, remedy: string): Promise<string> {
  const source = resolve(host.cwd, given)
  if ((await stat(source).catch(() => undefined))?.isDirectory() ?? false) return source
  throw usageInvalid('source', `${given} is not a directory. ${remedy}`)
}

interface EarlierImport<State> {
  readonly root: string
  /** The directory as messages name it. */
  readonly shown: string
  readonly resume: boolean
  /** The format as messages name it, such as `SWE-bench`. */
  readonly source: string
  /** Reads the earlier state; `undefined` if the directory contains something else. */
  readonly read: () => Promise<State | undefined>
}

/**
 * Returns the import that `--resume` continues; `undefined` if the directory does not exist.
 *
 * @throws `usage-invalid` if the directory exists but `--resume` is not given, or if it contains no such import
 */
export async function earlierImport<State>(earlier: EarlierImport<State>): Promise<State | undefined> {
  const { root, shown, resume, source, read } = earlier
  if ((await stat(root).catch(() => undefined)) === undefined) return undefined
  const another = 'another directory with --out'
  if (!resume)
    throw usageInvalid('--out', `${shown} exists already. Nothing was written. Name ${another}, or add --resume.`)
  const state = await read()
  if (state !== undefined) return state
  throw usageInvalid('--resume', `${shown} holds no import of ${source}. Leave --resume out, and name ${another}.`)
}

/**
 * Creates a project in a new directory. The directory appears only when it is complete, so an import that fails or is
 * interrupted leaves nothing.
 *
 * @param fill writes the files below a directory
 * @param flag the one that names the directory, for messages
 */
export async function newProject<Made>(
  host: Pick<CommandHost, 'cwd' | 'interruptible'>,
  out: string,
  fill: (directory: string, signal: AbortSignal) => Promise<Made>,
  flag = '--out',
): Promise<{ readonly root: string; readonly made: Made }> {
  const root = resolve(host.cwd, out)
  const directory = `${root}.unfinished-${process.pid}`
  using interrupt = host.interruptible(
    () => 'Stopping. Nothing is kept.',
    () => `${directory} is not complete. Delete it.\n`,
  )
  if ((await stat(root).catch(() => undefined)) !== undefined)
    throw usageInvalid(flag, `${out} exists already. Nothing was written. Name a directory to make.`)
  try {
    await mkdir(directory, { recursive: true })
    const made = await fill(directory, interrupt.signal)
    interrupt.signal.throwIfAborted()
    await rename(directory, root)
    return { root, made }
  } catch (thrown) {
    await rm(directory, { recursive: true, force: true })
    throw thrown
  }
}

export interface ImportReport {
  readonly items: readonly string[]
  readonly leftOut: readonly { readonly task: string; readonly reason: string }[]
  /** Keys of the format without a counterpart, by item. */
  readonly unknown: Readonly<Record<string, readonly string[]>>
  readonly notes: readonly ItemNote[]
  /** The commands to run next. */
  readonly next: readonly string[]
}

export function reportImport(host: CommandHost, root: string, { next, ...report }: ImportReport): void {
  if (host.flags.json === true) {
    host.json({ directory: root, ...report })
    return
  }
  const { items, leftOut, notes } = report
  const { out } = host.terminal
  const shown = shownFromHere(root)
  const tasks = counted(items.length + leftOut.length, 'task')
  out(`${counted(items.length, 'item')} of ${tasks} in ${join(shown, 'dataset')}\n`)
  for (const { task, reason } of leftOut) out(`  left out: ${safeLine(task)} ${safeLine(reason)}\n`)
  if (notes.length > 0) out(`\nLook at:\n${listedNotes(notes)}`)
  out(nextSteps(root, ...next))
}

const mostNotes = 40

/**
 * Returns the commands to run next. They work in the current directory, since the project's directory need not have
 * `jurist` installed.
 */
export function nextSteps(directory: string, ...commands: readonly string[]): string {
  const from = relative(process.cwd(), directory) || '.'
  // A line each: a terminal that wraps a line breaks the command in it.
  return `\nNext:\n${commands.map((words) => `  ${commandLine('-C', from, ...words.split(' '))}\n`).join('')}`
}

/** Formats notes as a list. Equal notes of several tasks share a line. */
export function listedNotes(notes: readonly ItemNote[]): string {
  const tasksOf = new Map<string, (string | null)[]>()
  for (const { of, note } of notes) tasksOf.set(note, [...(tasksOf.get(note) ?? []), of])
  return listed(
    [...tasksOf].map(([note, [first = null, ...others]]) => {
      const rest = others.length === 0 ? '' : ` and ${others.length} more`
      return `${first === null ? '' : `${safeLine(first)}${rest}: `}${safeLine(note)}`
    }),
  )
}

/** Formats lines as a list, of which only the first are shown. */
export function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, mostNotes).map((line) => `- ${line}\n`)
  return `${shown.join('')}${lines.length > mostNotes ? `… ${lines.length - mostNotes} more: --json lists all\n` : ''}`
}
