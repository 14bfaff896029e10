import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { usageInvalid } from '@jurist/experiment/plugin'

const maxTasks = 10_000
const maxDirectoryDepth = 4
const mostProblems = 50

/**
 * Returns the directories that contain a file of this name: the given one, or those below it. Does not search
 * `node_modules` or directories with a leading dot, and does not follow links.
 */
export async function taskDirectories(directory: string, marker: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return []
  if (entries.some(({ name }) => name === marker)) return [directory]
  if (depth >= maxDirectoryDepth) return []
  const found: string[] = []
  const isSearched = (name: string) => !name.startsWith('.') && name !== 'node_modules'
  for (const { name } of entries.filter((entry) => entry.isDirectory() && isSearched(entry.name)).sort(byName)) {
    found.push(...(await taskDirectories(join(directory, name), marker, depth + 1)))
    if (found.length > maxTasks) throw usageInvalid('source', `There are more than ${maxTasks} tasks. Import a part.`)
  }
  return found
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}

/** Builds the id of a task from the name of its directory, with the names of parent directories if that id is taken. */
export function taskId(root: string, place: string, taken: Set<string>): string {
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

/** Formats one line per problem, up to fifty. */
export function listedProblems(problems: readonly string[]): string {
  const more = problems.length - mostProblems
  return [
    ...problems.slice(0, mostProblems).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … ${more} more`] : []),
  ].join('\n')
}

const reserved = new Set(['sessions', 'sweeps', 'index', 'workspaces', 'journal', 'run', 'lock'])

/** Builds the name of an experiment from that of a directory. If that is not valid, the name begins with the format. */
export function projectName(directory: string, format: string): string {
  const name = directory
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 50)
  return !/[a-z]/i.test(name) || reserved.has(name.toLowerCase()) ? `${format}-${name || 'tasks'}` : name
}

const maxFiles = 20_000
const maxFileBytes = 64 * 1024 * 1024
const maxTaskBytes = 512 * 1024 * 1024
const maxTextBytes = 1024 * 1024
const maxDepth = 32

/** Reports a problem of a file of a task. */
export type Refuse = (file: string, problem: string) => void

/** Reads a file of a task; `undefined` if it was refused. */
export async function textOf(
  directory: string,
  name: string,
  files: ReadonlyMap<string, number>,
  refuse: Refuse,
): Promise<string | undefined> {
  const size = files.get(name)
  if (size === undefined) return void refuse(name, 'is missing.')
  if (size > maxTextBytes) return void refuse(name, `has ${size} bytes, and at most ${maxTextBytes} are read.`)
  const bytes = await readFile(join(directory, name))
  if (bytes.includes(0) || !isUtf8(bytes)) return void refuse(name, 'is not UTF-8 text.')
  return new TextDecoder().decode(bytes)
}

/**
 * Returns the files of a task with their sizes, without links. Returns `undefined` if something was refused: links that
 * lead outside, special files, or files that are too large or too many.
 *
 * @param ignored names of files and directories that are skipped
 */
export async function filesOf(
  directory: string,
  refuse: Refuse,
  ignored: readonly string[] = [],
): Promise<ReadonlyMap<string, number> | undefined> {
  const files = new Map<string, number>()
  let [bytes, problems] = [0, 0]
  const refused = (path: string, problem: string) => {
    problems += 1
    refuse(path, problem)
  }
  const walk = async (below: string, depth: number): Promise<void> => {
    if (depth > maxDepth) return refused(below, `is nested deeper than ${maxDepth} directories.`)
    for (const entry of (await readdir(join(directory, below), { withFileTypes: true })).sort(byName)) {
      if (ignored.includes(entry.name)) continue
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
  const [real, root] = [await realpath(place).catch(() => undefined), await realpath(directory)]
  return real === undefined || relative(root, real).split('/')[0] === '..'
}

/** SHA-256 (hex) of the paths, modes and bytes of a task's files. */
export async function digestOf(directory: string, files: ReadonlyMap<string, number>): Promise<string> {
  const hash = createHash('sha256')
  for (const [path, size] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { mode } = await stat(join(directory, path))
    hash.update(JSON.stringify([path, size, (mode & 0o100) !== 0]))
    hash.update(await readFile(join(directory, path)))
  }
  return hash.digest('hex')
}
