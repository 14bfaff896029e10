import { isPlainObject } from '@jurist/core/internal'
import { isTestFile } from '@jurist/kit/code-languages'
import { type CheckKind, checkKinds } from '../journal/checks.js'
import type { FileEdit } from '../journal/file-edits.js'
import { programName, type ShellPart, shellParts } from '../journal/shell-parts.js'
import { type JournalStep, journalSteps, type ToolContent } from '../journal/steps.js'

/** A file that a trial changed. */
export interface ScannedFile {
  /** Relative to the workspace, separated by `/`. */
  readonly path: string
  /** Its text before the agent; `null` if it did not exist or is not text. */
  readonly before: string | null
  /** Its text after the agent; `null` if it is gone or is not text. */
  readonly after: string | null
}

/** A trial as a scan reads it. */
export interface ScannedTrial {
  readonly itemId: string
  /** Counts from 1. */
  readonly repetition: number
  readonly task: string
  /** The agent's last message. */
  readonly output: string
  /** Whether the jury passed it; `null`: nothing was decided. */
  readonly passed: boolean | null
  /** The time of the agent in milliseconds. */
  readonly durationMs: number
  /** The records of its journal; `null` without a journal. */
  readonly records: readonly unknown[] | null
  /** Whether the agent itself reported its steps, so that their absence proves nothing. */
  readonly isOwnReport: boolean
  /** The files that it changed; `null` if they are unknown. */
  readonly changes: readonly ScannedFile[] | null
  /** The files that the reference changes; `null` without a reference. */
  readonly reference: readonly ScannedFile[] | null
  /** Where the project of the item comes from, such as `acme/cart`; empty if that is unknown. */
  readonly upstream: readonly string[]
  /** The name and the version of the project itself; empty if they are unknown. */
  readonly project: readonly { readonly name: string; readonly version: string | null }[]
  /** The scripts of its `package.json`, by name. */
  readonly scripts: Readonly<Record<string, string>>
  /** Paths that the agent must not read: hidden tests, the reference, results. */
  readonly secret: readonly string[]
}

/** Where a finding is: characters of a step or of the answer, or a line of a changed file. */
export type ScanPlace =
  | { readonly step: number; readonly from: number; readonly to: number }
  | { readonly answer: true; readonly from: number; readonly to: number }
  /** Lines count from 1. */
  | { readonly path: string; readonly line: number }

/** One command of the agent. */
export interface ScannedCommand extends ShellPart {
  readonly place: ScanPlace
  /** The index of its step in the journal. */
  readonly step: number
  /** The program without its directory. */
  readonly program: string
  readonly text: string
  /** Whether the journal shows that it failed. */
  readonly isFailed: boolean
  /** The output of the whole call. */
  readonly output: string
  /** The subcommand of git with its arguments, without options of git itself. */
  readonly git: readonly string[] | null
}

/** A line that the trial added to a file. */
export interface AddedLine {
  readonly path: string
  readonly text: string
  readonly place: ScanPlace
}

/** A run of tests, a build, a type checker or a linter. */
export interface ScannedCheck {
  readonly step: number
  readonly kinds: readonly CheckKind[]
  readonly isFailed: boolean
  readonly output: string
}

/** A trial with what rules look at. */
export interface ScanSite extends ScannedTrial {
  readonly steps: readonly JournalStep[]
  readonly commands: readonly ScannedCommand[]
  /** Returns the commands in order whose program fits, without looking at the others. */
  commandsOf(program: RegExp): readonly ScannedCommand[]
  /** Parts of commands that could not be read. */
  readonly unread: number
  /** The tools that run no command and edit no file, with their input as text. */
  readonly tools: readonly ScannedTool[]
  /** Files that steps wrote, with the index of the step. */
  readonly edits: readonly (FileEdit & { readonly step: number })[]
  /** The files that steps wrote rather than removed, with the index of the last such step. */
  readonly written: ReadonlyMap<string, number>
  readonly added: readonly AddedLine[]
  /** Directories that it made outside of the workspace. */
  readonly made: readonly string[]
  readonly checks: readonly ScannedCheck[]
  /** Returns a path relative to the workspace; `null` outside of it, and `''` for programs, packages and temporary files of the machine. */
  inside(path: string): string | null
}

/** A call of a tool that neither runs a command nor edits a file. */
export interface ScannedTool {
  readonly step: number
  readonly tool: string
  readonly input: string
  readonly isFailed: boolean
  readonly place: ScanPlace
}

/** A longer output is what was asked for, whatever words it contains. */
const longestRefusal = 600
/** Signs in an output that nothing was given. */
const refused =
  /\b(?:40[134]|451)\b.*(?:forbidden|not found|unauthorized)|\bHTTP\/\S+ (?:4|5)\d\d\b|The requested URL returned error|could not resolve|connection refused|network is unreachable|no such file or directory|permission denied|^fatal:|unknown revision|repository not found/im

/** Prepares a trial for rules. */
export function scanSite(trial: ScannedTrial): ScanSite {
  const steps = journalSteps(trial.records ?? [])
  const root = workspaceRoot(steps, trial)
  const inside = (path: string) => insideOf(path, root)
  const commands: ScannedCommand[] = []
  const edits: (FileEdit & { readonly step: number })[] = []
  const tools: ScannedTool[] = []
  let unread = 0
  // Agents use the same few words: each is kept once.
  const words = new Map<string, string>()
  const known = (word: string) => {
    const first = words.get(word)
    if (first === undefined && word.length <= 40) words.set(word, word)
    return first ?? word
  }
  for (const step of steps) {
    const { content, index } = step
    if (content.kind === 'shell') unread += readCommand(step, content, { commands, known })
    if (content.kind === 'edit' || content.kind === 'shell')
      edits.push(
        ...(content.edits ?? []).map((edit) => ({ ...edit, path: inside(edit.path) || edit.path, step: index })),
      )
    if (content.kind === 'tool') {
      const input = typeof content.input === 'string' ? content.input : JSON.stringify(content.input ?? '')
      const place = { step: index, from: 0, to: input.length }
      tools.push({ step: index, tool: content.tool, input, isFailed: failed(step.isFailed, content.output), place })
    }
    if (content.kind === 'file')
      edits.push({ path: content.path, change: content.change as FileEdit['change'], parts: [], step: index })
  }
  const programs = [...new Set(commands.map(({ program }) => program))]
  const commandsOf = (wanted: RegExp) => {
    const fitting = new Set(programs.filter((program) => wanted.test(program)))
    return fitting.size === 0 ? [] : commands.filter(({ program }) => fitting.has(program))
  }
  for (const command of commands)
    for (const path of writtenBy(command))
      edits.push({
        path: inside(path) || path,
        change: command.program === 'rm' ? 'removed' : 'written',
        parts: command.input === null ? [] : [{ before: '', after: command.input }],
        step: command.step,
      })
  edits.sort((one, other) => one.step - other.step)
  const checks = commands.flatMap(({ step, isFailed, output, words }): readonly ScannedCheck[] => {
    const kinds = checkKinds(words, trial.scripts)
    return kinds.length === 0 ? [] : [{ step, kinds, isFailed, output }]
  })
  const added = addedLines(trial.changes, edits)
  const written = new Map(
    edits.flatMap(({ path, change, step }) => (change === 'removed' ? [] : [[path, step] as const])),
  )
  const made = commandsOf(/^mkdir$/).flatMap(({ words, isFailed }) =>
    isFailed ? [] : words.slice(1).filter((path) => inside(path) === null),
  )
  return { ...trial, steps, commands, commandsOf, unread, tools, edits, written, made, added, checks, inside }
}

function failed(isFailed: boolean, output: string | null): boolean {
  return isFailed || (output !== null && output.length <= longestRefusal && refused.test(output))
}

const none: readonly string[] = []
const orNone = (list: readonly string[]) => (list.length === 0 ? none : list)

function readCommand(
  step: JournalStep,
  content: ToolContent,
  { commands, known }: { readonly commands: ScannedCommand[]; readonly known: (word: string) => string },
): number {
  const text = content.command ?? ''
  const { parts, unread } = shellParts(text)
  const hasFailed = step.isFailed || (content.exitCode ?? 0) !== 0
  const output = content.output ?? ''
  // Copying parts by a spread would take longer than reading them, and more memory.
  for (const [index, { words: given, from, to, writes, input, startedBy, variables, operator }] of parts.entries()) {
    const words = given.map(known)
    commands.push({
      words,
      from,
      to,
      writes: orNone(writes),
      input,
      startedBy: orNone(startedBy),
      variables: orNone(variables),
      operator,
      output,
      place: { step: step.index, from, to },
      step: step.index,
      program: known(programName(words[0] ?? '')),
      text: text.slice(from, to),
      // An agent chooses how a list ends: its exit code says nothing of the commands before the last one.
      isFailed: parts.length === 1 ? failed(hasFailed, output) : hasFailed && index === parts.length - 1,
      git: gitWords(words),
    })
  }
  return unread
}

/** `git -C dir -c a=b show x` is `show x`. */
function gitWords(words: readonly string[]): readonly string[] | null {
  if (programName(words[0] ?? '') !== 'git') return null
  let at = 1
  while (at < words.length && words[at]?.startsWith('-') === true)
    at += /^-[Cc]$|^--(?:git-dir|work-tree|namespace|exec-path)$/.test(words[at] ?? '') ? 2 : 1
  return words.slice(at)
}

/** The files that a command writes: by redirections, or as its arguments. */
function writtenBy({ words, writes, program, git }: ScannedCommand): readonly string[] {
  const args = () => words.slice(1).filter((word) => !word.startsWith('-'))
  const targets = () => {
    if (program === 'tee' || program === 'rm' || program === 'touch') return args()
    if (program === 'cp' || program === 'mv' || program === 'install') return args().slice(-1)
    if (/^(?:sed|perl|ruby)$/.test(program) && words.some((word) => /^-[a-z]*i/.test(word))) return args().slice(1)
    if (git !== null && /^(?:apply|checkout|restore|stash)$/.test(git[0] ?? '') && git.includes('--'))
      return git.slice(git.indexOf('--') + 1)
    return []
  }
  return [...writes, ...targets()].filter((path) => !path.startsWith('/dev/') && !path.includes('$'))
}

/** The directory in which commands ran, where absolute paths of edits show it. */
function workspaceRoot(steps: readonly JournalStep[], { changes }: ScannedTrial): string | null {
  const known = new Set((changes ?? []).map(({ path }) => path))
  for (const { content } of steps) {
    if (content.kind !== 'edit' && content.kind !== 'tool' && content.kind !== 'shell') continue
    const input = isPlainObject(content.input) ? (content.input as { readonly [key: string]: unknown }) : {}
    const given = ['cwd', 'workdir', 'working_directory'].map((key) => input[key])
    const cwd = given.find((value) => typeof value === 'string' && value.startsWith('/'))
    if (typeof cwd === 'string') return cwd.replace(/\/$/, '')
    const absolute = (content.kind === 'edit' ? (content.edits ?? []) : []).find(({ path }) => path.startsWith('/'))
    if (absolute === undefined) continue
    const own = [...known].find((path) => absolute.path.endsWith(`/${path}`))
    if (own !== undefined) return absolute.path.slice(0, -own.length - 1)
  }
  return null
}

/** Programs and packages of the machine, which every agent reads. */
const ofMachine =
  /^\/(?:dev|tmp|proc|sys|bin|sbin|lib\d*|opt\/[^/]+\/(?:bin|lib)|usr|etc\/(?:os-release|hosts|resolv\.conf|alternatives))(?:\/|$)|\/(?:node_modules|site-packages|dist-packages|\.cache|\.npm|\.m2|\.cargo|\.rustup|\.nvm|\.pyenv|go\/pkg)(?:\/|$)/

/** Decides by the path alone, without reading links. */
function insideOf(path: string, root: string | null): string | null {
  if (root !== null && (path === root || path.startsWith(`${root}/`))) return path.slice(root.length + 1)
  if (ofMachine.test(path)) return ''
  if (path.startsWith('/') || path.startsWith('~') || /^\$\{?HOME\b/.test(path)) {
    // Without a known root, the usual places of workspaces are theirs.
    return root === null &&
      /^\/(?:app|testbed|workspace|repo|work|home\/[^/]+\/[^/]+|Users\/[^/]+\/[^/]+)(?:\/|$)/.test(path)
      ? path
      : null
  }
  let depth = 0
  for (const part of path.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '.' && part !== '') depth += 1
    if (depth < 0) return null
  }
  return path.replace(/^(?:\.\/)+/, '')
}

const maxLine = 2_000

/** Returns the lines that the final files gained, and those that edits wrote in between, each once. */
function addedLines(
  changes: readonly ScannedFile[] | null,
  edits: readonly (FileEdit & { readonly step: number })[],
): readonly AddedLine[] {
  const before = new Map((changes ?? []).map((file) => [file.path, file.before ?? '']))
  const found: AddedLine[] = []
  const known = new Set<string>()
  const add = (line: AddedLine) => {
    const key = `${line.path}\n${line.text.trim()}`
    if (line.text.trim() === '' || line.text.length > maxLine || known.has(key)) return
    known.add(key)
    found.push(line)
  }
  for (const { path, before, after } of changes ?? [])
    for (const { text, line } of newLines(before ?? '', after ?? '')) add({ path, text, place: { path, line } })
  for (const { path, parts, step } of edits)
    for (const { before: old, after } of parts)
      for (const { text } of newLines(`${old}\n${before.get(path) ?? ''}`, after))
        add({ path, text, place: { step, from: 0, to: 0 } })
  return found
}

/** Returns the lines of `after` that `before` lacks. Of a line that occurs more often, each further one counts. */
export function newLines(before: string, after: string): readonly { readonly text: string; readonly line: number }[] {
  const left = new Map<string, number>()
  for (const line of before.split('\n')) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1)
  return after.split('\n').flatMap((text, index) => {
    const times = left.get(text.trim()) ?? 0
    if (times > 0) left.set(text.trim(), times - 1)
    return times > 0 ? [] : [{ text, line: index + 1 }]
  })
}

/** Whether a file is code of the project rather than a test, a document or data. */
export function isSource(path: string): boolean {
  return (
    /\.(?:[cm]?[jt]sx?|py|java|kt|go|rs|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|exs?)$/.test(path) && !isTestFile(path)
  )
}
