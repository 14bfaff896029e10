import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { usageInvalid } from '../../config/problems.js'
import { readTaskFile, type TaskFile } from './task-file.js'

/** A task as it is on the disk. */
export interface HarborTask {
  readonly id: string
  readonly directory: string
  /** The directory as messages name it. */
  readonly shown: string
  readonly file: TaskFile
  readonly instruction: string
  readonly hasSolution: boolean
  /** SHA-256 (hex) of its files. */
  readonly digest: string
}

/** What was found in a directory. */
export interface FoundTasks {
  readonly tasks: readonly HarborTask[]
  /** Tasks that cannot be imported for what they are, with the reason. */
  readonly leftOut: readonly { readonly task: string; readonly reason: string }[]
}

const maxTasks = 10_000
const maxDirectoryDepth = 4
const maxFiles = 20_000
const maxFileBytes = 64 * 1024 * 1024
const maxTaskBytes = 512 * 1024 * 1024
const maxTextBytes = 1024 * 1024
const maxDepth = 32
const mostProblems = 50

/**
 * The tasks of a directory: itself, or all below it that hold a task.toml. Links are not followed.
 *
 * @throws `usage-invalid` naming everything that is wrong
 */
export async function readTasks(directory: string, shownAs: string): Promise<FoundTasks> {
  const places = await taskDirectories(directory)
  if (places.length === 0)
    throw usageInvalid('source', `${shownAs} holds no task.toml. Name the directory of a Harbor task, or one of tasks.`)
  const problems: string[] = []
  const tasks: HarborTask[] = []
  const leftOut: { task: string; reason: string }[] = []
  const ids = new Set<string>()
  for (const place of places) {
    const shown = join(shownAs, relative(directory, place))
    const refuse = (file: string, problem: string) => void problems.push(`${join(shown, file)}: ${problem}`)
    const id = idOf(directory, place, ids)
    const task = await readTask(place, { id, shown, refuse })
    if (task === undefined) continue
    if (task.file.steps.length === 0) tasks.push(task)
    else leftOut.push({ task: shown, reason: stepsReason(task.file.steps) })
  }
  if (problems.length === 0 && tasks.length > 0) return { tasks, leftOut }
  const lines = [...problems, ...(tasks.length > 0 ? [] : leftOut.map(({ task, reason }) => `${task}: ${reason}`))]
  throw usageInvalid('source', `${shownAs} cannot be imported. Nothing was written.\n${listed(lines)}`)
}

function stepsReason(steps: readonly string[]): string {
  return `is a task of ${steps.length} steps (${steps.slice(0, 5).join(', ')}). Tasks with [[steps]] cannot be imported; make one task of each step.`
}

function listed(problems: readonly string[]): string {
  const more = problems.length - mostProblems
  return [
    ...problems.slice(0, mostProblems).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … ${more} more`] : []),
  ].join('\n')
}

async function taskDirectories(directory: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return []
  if (entries.some(({ name }) => name === 'task.toml')) return [directory]
  if (depth >= maxDirectoryDepth) return []
  const found: string[] = []
  for (const { name } of entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).sort(byName)) {
    found.push(...(await taskDirectories(join(directory, name), depth + 1)))
    if (found.length > maxTasks) throw usageInvalid('source', `There are more than ${maxTasks} tasks. Import a part.`)
  }
  return found
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}

/** The name of the directory; with those above it where that is taken. */
function idOf(root: string, place: string, taken: Set<string>): string {
  const clean = (text: string) =>
    text
      .replace(/[^\w.@+-]+/g, '-')
      .slice(0, 100)
      .replace(/^\.+/, '') || 'task'
  const short = clean(basename(place))
  const long = clean(relative(root, place))
  let id = taken.has(short) ? long : short
  for (let number = 2; taken.has(id); number++) id = `${long}-${number}`
  taken.add(id)
  return id
}

interface Reading {
  readonly id: string
  readonly shown: string
  readonly refuse: (file: string, problem: string) => void
}

async function readTask(directory: string, { id, shown, refuse }: Reading): Promise<HarborTask | undefined> {
  const files = await filesOf(directory, refuse)
  if (files === undefined) return undefined
  const text = await textOf(directory, 'task.toml', files, refuse)
  const refuseAt = (place: string, problem: string) =>
    refuse('task.toml', `${place === '' ? '' : `${place}: `}${problem}`)
  const file = text === undefined ? undefined : readTaskFile(text, refuseAt)
  if (file && file.steps.length > 0)
    return { id, directory, shown, file, instruction: '', hasSolution: false, digest: '' }
  const instruction = await textOf(directory, 'instruction.md', files, refuse)
  if (instruction?.trim() === '') refuse('instruction.md', 'is empty. Write what the agent is to do.')
  if (!files.has('tests/test.sh')) refuse('tests/test.sh', 'is missing, which gives the reward.')
  if (!file || !instruction || instruction.trim() === '' || !files.has('tests/test.sh')) return undefined
  const hasSolution = files.has('solution/solve.sh')
  return { id, directory, shown, file, instruction, hasSolution, digest: await digestOf(directory, files) }
}

async function textOf(
  directory: string,
  name: string,
  files: ReadonlyMap<string, number>,
  refuse: Reading['refuse'],
): Promise<string | undefined> {
  const size = files.get(name)
  if (size === undefined) return void refuse(name, 'is missing.')
  if (size > maxTextBytes) return void refuse(name, `has ${size} bytes, and at most ${maxTextBytes} are read.`)
  const bytes = await readFile(join(directory, name))
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The one error below says it.
  }
  return void refuse(name, 'is not UTF-8 text.')
}

/** The files of a task with their sizes, or `undefined` when something in it is refused. */
async function filesOf(directory: string, refuse: Reading['refuse']): Promise<ReadonlyMap<string, number> | undefined> {
  const files = new Map<string, number>()
  let [bytes, problems] = [0, 0]
  const refused = (path: string, problem: string) => {
    problems += 1
    refuse(path, problem)
  }
  const walk = async (below: string, depth: number): Promise<void> => {
    if (depth > maxDepth) return refused(below, `is nested deeper than ${maxDepth} directories.`)
    for (const entry of (await readdir(join(directory, below), { withFileTypes: true })).sort(byName)) {
      const path = join(below, entry.name)
      if (files.size > maxFiles || problems > mostProblems) return
      if (entry.isDirectory()) await walk(path, depth + 1)
      else if (entry.isSymbolicLink()) {
        if (await leavesTask(directory, path)) refused(path, 'is a link that leads out of the task.')
      } else if (!entry.isFile()) refused(path, 'is neither a file nor a directory.')
      else {
        const { size } = await lstat(join(directory, path))
        files.set(path, size)
        bytes += size
        if (size > maxFileBytes) refused(path, `has ${size} bytes; a file may have ${maxFileBytes}.`)
      }
    }
  }
  await walk('', 0)
  if (files.size > maxFiles) refused('', `has more than ${maxFiles} files.`)
  if (bytes > maxTaskBytes) refused('', `has ${bytes} bytes; a task may have ${maxTaskBytes}.`)
  return problems > 0 ? undefined : files
}

async function leavesTask(directory: string, path: string): Promise<boolean> {
  const place = join(directory, path)
  const target = await readlink(place)
  const leaves = (absolute: string) => relative(directory, absolute).split('/')[0] === '..'
  if (isAbsolute(target) || leaves(resolve(dirname(place), target))) return true
  const { realpath } = await import('node:fs/promises')
  const [real, root] = [await realpath(place).catch(() => undefined), await realpath(directory)]
  return real === undefined || relative(root, real).split('/')[0] === '..'
}

async function digestOf(directory: string, files: ReadonlyMap<string, number>): Promise<string> {
  const hash = createHash('sha256')
  for (const [path, size] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { mode } = await stat(join(directory, path))
    hash.update(JSON.stringify([path, size, (mode & 0o100) !== 0]))
    hash.update(await readFile(join(directory, path)))
  }
  return hash.digest('hex')
}
