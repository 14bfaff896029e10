import { readdir } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { usageInvalid } from '../config/problems.js'

const maxTasks = 10_000
const maxDirectoryDepth = 4
const mostProblems = 50

/**
 * The directories that hold a file of this name: the given one, or those below it. `node_modules` and directories that begin
 * with a dot are not searched, links are not followed.
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

/** The id of a task: the name of its directory, with those above it where that is taken. */
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

/** A line for each problem, fifty at most. */
export function listedProblems(problems: readonly string[]): string {
  const more = problems.length - mostProblems
  return [
    ...problems.slice(0, mostProblems).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … ${more} more`] : []),
  ].join('\n')
}

const reserved = new Set(['sessions', 'sweeps', 'index', 'workspaces', 'journal', 'run', 'lock'])

/** A name of an experiment made of that of a directory; that of its format where it cannot be one. */
export function projectName(directory: string, format: string): string {
  const name = directory
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 50)
  return !/[a-z]/i.test(name) || reserved.has(name.toLowerCase()) ? `${format}-${name || 'tasks'}` : name
}

/** Where the items of a project are. */
export function itemDirectory(root: string, id: string): string {
  return join(root, 'dataset', 'items', id)
}
