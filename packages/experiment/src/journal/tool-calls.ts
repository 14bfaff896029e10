import type { JournalEvent, Json } from '@jurist/core'
import { isPlainObject, type PairedCall, pairedCalls, type ToolCallEvent } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import { runsCheck } from './checks.js'

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

/** Words in the name of a tool that show its action. The first state with a matching word applies. */
const states: readonly (readonly [state: string, words: readonly string[]])[] = [
  ['plan', plan],
  ['web', web],
  ['write', write],
  ['search', search],
  ['read', read],
  ['test', test],
  ['run', run],
]

/**
 * The kind of a tool call, by the tool's name and its input: `plan`, `web`, `write`, `search`, `read`, `test` (a run
 * of tests, a build, a type checker or a linter), `run` or `other`.
 */
export function toolState(call: ToolCallEvent): string {
  const action = toolAction(call)
  return action === 'run' && runsCheck(shellCommand(call.input) ?? '') ? 'test' : action
}

/** Like `toolState`, but without looking at the program that a command runs. */
export function toolAction({ name, input }: ToolCallEvent): string {
  const words = wordsOf(name)
  const found = states.find(([, known]) => words.some((word) => known.includes(word)))?.[0] ?? 'other'
  return found === 'write' && isViewing(input) ? 'read' : found
}

/**
 * Splits a tool name into words: `mcp__files__readFile` becomes read, file. The name of the server does not describe the
 * tool.
 */
function wordsOf(name: string): readonly string[] {
  const own = name.slice(name.lastIndexOf('__') + (name.includes('__') ? 2 : 1))
  const spaced = own.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return spaced.toLowerCase().split(/[^a-z0-9]+/)
}

/** The names under which tools take a command. */
const commandKeys: readonly string[] = ['command', 'cmd', 'script', 'code', 'args', 'argv']

/** Whether an editor is called to show a file, which its command declares. */
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

/** Absolute paths below the directories that a run makes for its trials, whose names differ each time. */
const workspaces =
  /[^\s"'`=:;,()[\]]*\/jurist-[0-9a-f]{8}-[0-9a-z]+-[0-9a-z]+-[^\s/"'`]{6}(?:\/workspace(?![^/\s"'`]))?\/?/g

/** Makes paths inside the workspace of a trial relative, so that trials can be compared. */
export function withoutWorkspace(text: string): string {
  return text.includes('/jurist-') ? text.replace(workspaces, '') : text
}

const longestArgument = 60

/**
 * The arguments of a call, each as `key=value`, or those of a command as the command: paths relative, line breaks as spaces. Of a long
 * value its beginning, its length and a sum over its characters (Adler 1995) are left.
 */
export function argumentsOf({ input }: ToolCallEvent): readonly string[] {
  if (!isPlainObject(input)) return input === null ? [] : [shortValue(input)]
  return Object.entries(input).map(([key, value]) => `${key}=${shortValue(value)}`)
}

function shortValue(value: unknown): string {
  const text = withoutWorkspace(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  const plain = text
    .slice(0, 4 * longestArgument)
    .replace(/\s+/g, ' ')
    .trim()
  if (text.length <= longestArgument) return plain
  let [low, high] = [1, 0]
  for (let index = 0; index < text.length; index += 1) {
    low = (low + text.charCodeAt(index)) % 65_521
    high = (high + low) % 65_521
  }
  return `${plain.slice(0, longestArgument)}… (${text.length} characters, ${(high * 65_536 + low).toString(16)})`
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

/** The command of a tool that runs commands, as a person would type it; `undefined` when the input names none. */
export function shellCommand(input: Json): string | undefined {
  if (typeof input === 'string') return input === '' ? undefined : input
  if (Array.isArray(input)) return fromWords(input)
  if (!isPlainObject(input)) return undefined
  const given: { readonly [key: string]: unknown } = input
  for (const key of commandKeys) {
    const value = given[key]
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.length > 0) return fromWords(value)
  }
  // Agents that report no arguments put the command into the title of the call.
  const title = given['title']
  return typeof title === 'string' && title !== '' ? title.replace(/^`([^`]*)`$/, '$1') : undefined
}

/** `['bash', '-lc', 'npm test']` is `npm test`. */
function fromWords(words: readonly unknown[]): string | undefined {
  const [program, flag, script] = words
  const isScript = /(^|\/)(ba|z|da)?sh$/.test(String(program)) && /^-[a-z]*c$/.test(String(flag))
  return isScript && typeof script === 'string' ? script : words.map(String).join(' ')
}

/** The output of a command, and its exit code if the agent recorded it. */
interface ShellResult {
  readonly output: string
  readonly exitCode: number | null
}

/** How agents write an exit code before or after the output. */
const firstLine = /^\s*(?:error: )?(?:command failed with )?exit code:? (\d{1,3})\.?(?:\n|$)/i
const lastLine =
  /\n?\s*\[?(?:(?:process|command) )?(?:exited with (?:exit )?code|exit code:?|exit status:?) (\d{1,3})\.?\]?\s*$/i

/** Reads the result of a command: plain text, or an object with `stdout`, `stderr`, `output` and an exit code. */
export function shellResult(content: string): ShellResult {
  const object = content.startsWith('{') ? parseObject(content) : undefined
  const read = object === undefined ? undefined : resultInObject(object)
  if (read !== undefined) return read
  const [start, code] = firstLine.exec(content) ?? []
  if (start !== undefined) return { output: content.slice(start.length), exitCode: Number(code) }
  const [end, last] = lastLine.exec(content.slice(-200)) ?? []
  if (end !== undefined) return { output: content.slice(0, content.length - end.length), exitCode: Number(last) }
  return { output: content, exitCode: null }
}

function resultInObject(object: { readonly [key: string]: unknown }): ShellResult | undefined {
  const metadata = isPlainObject(object['metadata']) ? object['metadata'] : {}
  const codes = [object['exit_code'], object['exitCode'], object['code'], metadata['exit_code']]
  const exitCode = codes.find((code): code is number => typeof code === 'number') ?? null
  const texts = ['output', 'stdout', 'stderr', 'formatted_output'].map((key) => object[key])
  const output = texts.filter((text): text is string => typeof text === 'string' && text !== '')
  const isResult = texts.some((text) => typeof text === 'string')
  return isResult ? { output: output.join('\n'), exitCode } : undefined
}
