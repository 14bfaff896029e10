import type { JournalEvent, Json } from '@jurist/core'
import { isPlainObject, type PairedCall, pairedCalls, type ToolCallEvent } from '@jurist/core/internal'

const plan = ['plan', 'todo', 'todos', 'think']
const web = ['web', 'fetch', 'browse', 'browser', 'http', 'url']
const test = ['test', 'tests', 'check', 'verify', 'lint']
const write = [
  ...['write', 'edit', 'multiedit', 'create', 'patch', 'replace', 'insert', 'append', 'update', 'save'],
  ...['delete', 'remove', 'rename', 'move', 'mkdir', 'undo'],
]
const search = ['search', 'grep', 'glob', 'find', 'list', 'ls', 'tree', 'rg']
const read = ['read', 'view', 'open', 'cat', 'get', 'show', 'load']
const run = ['run', 'bash', 'shell', 'sh', 'exec', 'execute', 'command', 'terminal', 'process', 'python', 'eval']

/** The words of a tool's name that say what it does; the first state whose word occurs counts. */
const states: readonly (readonly [state: string, words: readonly string[]])[] = [
  ['plan', plan],
  ['web', web],
  ['write', write],
  ['search', search],
  ['read', read],
  ['test', test],
  ['run', run],
]

/** Words and runners that make a command a test of the work. */
const verification =
  /(^|[^a-z])(tests?|testing|check|checks|verify|lint|typecheck|tsc|vitest|jest|mocha|ava|tap|pytest|tox|nox|unittest|rspec|phpunit|junit|ctest|nextest|eslint|biome|ruff|mypy|pyright|flake8|clippy|playwright|cypress)([^a-z]|$)/i

/**
 * What kind of step a tool call is, by the tool's name and its input: `plan`, `web`, `write`, `search`, `read`, `test` (a run
 * whose command contains test, check, verify, lint or a known test runner), `run` or `other`.
 */
export function toolState({ name, input }: ToolCallEvent): string {
  const words = wordsOf(name)
  const found = states.find(([, known]) => words.some((word) => known.includes(word)))?.[0] ?? 'other'
  if (found === 'run') return verification.test(commandOf(input)) ? 'test' : 'run'
  return found === 'write' && isViewing(input) ? 'read' : found
}

/** `mcp__files__readFile` is read, file: a server's name says nothing about the tool. */
function wordsOf(name: string): readonly string[] {
  const own = name.slice(name.lastIndexOf('__') + (name.includes('__') ? 2 : 1))
  const spaced = own.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return spaced.toLowerCase().split(/[^a-z0-9]+/)
}

/** The names under which tools take a command. */
export const commandKeys: readonly string[] = ['command', 'cmd', 'script', 'code', 'args', 'argv']

function commandOf(input: Json): string {
  if (typeof input === 'string') return input
  if (Array.isArray(input)) return input.join(' ')
  if (!isPlainObject(input)) return ''
  const given: { readonly [key: string]: unknown } = input
  return commandKeys
    .map((key) => (Array.isArray(given[key]) ? given[key].join(' ') : String(given[key] ?? '')))
    .join(' ')
}

/** Editors that also show files say so in their command. */
function isViewing(input: Json): boolean {
  return isPlainObject(input) && (input['command'] === 'view' || input['command'] === 'read')
}

const pathKeys = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file', 'absolute_path', 'notebook_path']

/** The file that the input of a tool names. */
export function pathIn(input: Json): string | undefined {
  if (!isPlainObject(input)) return undefined
  const given: { readonly [key: string]: unknown } = input
  const path = pathKeys.map((key) => given[key]).find((value) => typeof value === 'string' && value !== '')
  return typeof path === 'string' ? path.replace(/^(\.\/)+/, '') : undefined
}

/** A tool call with its result, and the kind of step that it is. */
export interface ClassifiedCall extends PairedCall {
  readonly state: string
}

/** The tool calls in order, each with its own result and its kind. */
export function classifiedCalls(
  events: readonly JournalEvent[],
  classify: (call: ToolCallEvent) => string,
): readonly ClassifiedCall[] {
  return pairedCalls(events).map((pair) => ({ ...pair, state: classify(pair.call) }))
}

/** A file that was read again though nothing had been written to it. */
export interface RedundantRead {
  readonly path: string
  /** How often it was read in all. */
  readonly reads: number
}

/** Files that were read again with no write to them between, in the order in which that happened first. */
export function redundantReadsOf(steps: readonly ClassifiedCall[]): readonly RedundantRead[] {
  const reads = new Map<string, number>()
  const unchanged = new Set<string>()
  const redundant = new Set<string>()
  for (const { call, state } of steps) {
    const path = pathIn(call.input)
    if (path === undefined) continue
    if (state === 'write') unchanged.delete(path)
    if (state !== 'read') continue
    if (unchanged.has(path)) redundant.add(path)
    unchanged.add(path)
    reads.set(path, (reads.get(path) ?? 0) + 1)
  }
  return [...redundant].map((path) => ({ path, reads: reads.get(path) ?? 0 }))
}
