import { chmod, cp, lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Json } from '@jurist/core'
import { failureOf, isPlainObject, normalizePath } from '@jurist/core/internal'
import { copyWorkspaces, type Dataset, type DatasetItem, type WorkspaceLease } from '@jurist/experiment'
import { isDatasetPath, openFrom } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import {
  type CommandHost,
  type ExitCode,
  existingDirectory,
  type FlagValues,
  flag,
  text,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { shellWord } from '@jurist/kit/shell-word'
import { safeLine } from '@jurist/kit/terminal'
import { copyOf } from '@jurist/workspace'
import { stringify } from 'smol-toml'
import { kept, newProject, writeFiles } from '../new-project.js'

export const harborExportFlags = {
  dataset: flag('--dataset <dir>', 'with harbor: the dataset (default: that of the only experiment)', text),
  image: flag('--image <name>', 'with harbor: the image of the tasks (default: one with the tool of the tests)', text),
  setup: flag('--setup <line>', 'with harbor: a line that each Dockerfile runs, such as "npm ci"', text),
} as const

export function checkHarborFlags(
  given: FlagValues<typeof harborExportFlags> & { readonly [name: string]: unknown },
  runs: readonly string[],
  problem: (flag: string, message: string) => void,
): void {
  const { format, output } = given
  if (format !== 'harbor') {
    for (const name of ['dataset', 'image', 'setup'])
      if (given[name] !== undefined) problem(`--${name}`, `--${name} needs --format harbor.`)
    return
  }
  if (output === undefined) problem('--output', 'Name the directory to make with --output.')
  if (runs.length > 0) problem('run', 'A dataset is exported, not a run: leave the runs out, or name --dataset.')
  for (const name of ['table', 'session', 'sweep', 'since', 'to', 'by', 'sample'])
    if (given[name] !== undefined)
      problem(`--${name}`, `--${name} selects of runs, and --format harbor writes a dataset.`)
}

type Flags = FlagValues<typeof harborExportFlags> & { readonly output?: string | undefined }

interface Exported {
  readonly tasks: string[]
  readonly leftOut: { readonly item: string; readonly reason: string }[]
  readonly notes: { readonly item: string; readonly note: string }[]
}

export async function exportHarbor(host: CommandHost, flags: Flags): Promise<ExitCode> {
  const fill = async (made: string, signal: AbortSignal): Promise<Exported> => {
    const dataset = await datasetOf(host, flags.dataset)
    const exported: Exported = { tasks: [], leftOut: [], notes: [] }
    for await (const item of dataset.items()) {
      signal.throwIfAborted()
      await exportItem(item, { dataset, made, flags, exported, signal })
    }
    if (exported.tasks.length === 0) throw usageInvalid('--dataset', nothing(exported))
    return exported
  }
  const { root, made } = await newProject(host, flags.output ?? 'tasks', fill, '--output')
  return report(host, root, made)
}

async function datasetOf(host: CommandHost, given: string | undefined): Promise<Dataset> {
  if (given !== undefined) return openFrom(await existingDirectory(given, '--dataset', host.cwd))
  const [experiment] = await host.experiments()
  const place = experiment?.dataset
  if (place !== undefined && isDatasetPath(place)) return openFrom(place)
  throw usageInvalid('--dataset', 'The experiment has no dataset in a directory. Name one with --dataset.')
}

interface Exporting {
  readonly dataset: Dataset
  readonly made: string
  readonly flags: Flags
  readonly exported: Exported
  readonly signal: AbortSignal
}

async function exportItem(item: DatasetItem, exporting: Exporting): Promise<void> {
  const { dataset, made, flags, exported, signal } = exporting
  const leave = (reason: string) => void exported.leftOut.push({ item: item.id, reason })
  if (item.judges === null) return leave('has no judges of its own, which a verifier would be made of')
  const found = exportable(item.judges)
  if ('problem' in found) return leave(found.problem)
  const name = slug(item.id)
  const directory = join(made, name)
  try {
    if ('task' in found) await copyTask(item, found.task, dataset, directory)
    else {
      // The image is for the container of the task: nothing runs here.
      const request = { item: { ...item, image: null }, repetition: 1, signal }
      await using lease = await copyWorkspaces()(request)
      if (lease.reference === null && found.judge.hidden.length > 0)
        return leave('has no reference, from which its tests would come')
      const { image, setup } = flags
      const full = `${slug(dataset.name)}/${name}`
      await writeTask(directory, { name: full, item, judge: found.judge, lease, image, setup })
      for (const option of found.judge.lost) {
        const note = `"${option}" of the judge is not exported: the exit code of the command decides`
        exported.notes.push({ item: item.id, note })
      }
    }
    exported.tasks.push(name)
  } catch (thrown) {
    signal.throwIfAborted()
    await rm(directory, { recursive: true, force: true })
    leave(failureOf(thrown).message)
  }
}

/** Copies an imported task unchanged, except for its instruction, which is the task of the item. */
async function copyTask(item: DatasetItem, path: string, { directory }: Dataset, to: string): Promise<void> {
  if (directory === null || item.path === null) throw new Error('has no directory')
  const from = join(directory, item.path, path)
  if (relative(directory, from).startsWith('..')) throw new Error(`its task ${path} leads out of the dataset`)
  const copy = await kept(copyOf(from, { to, ignore: ['/.git/'] }))
  const instruction = (await copy.exists('instruction.md')) ? await copy.read('instruction.md') : ''
  if (instruction.trim() !== item.task.trim()) await writeFile(join(to, 'instruction.md'), `${item.task.trimEnd()}\n`)
}

/** Harbor restricts the names of tasks. */
function slug(id: string): string {
  return id.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'item'
}

function nothing({ leftOut }: Exported): string {
  const lines = leftOut.slice(0, 20).map(({ item, reason }) => `  ${item}: ${reason}`)
  return `No item can be exported. Nothing was written.\n${lines.join('\n')}`
}

function report(host: CommandHost, directory: string, { tasks, leftOut, notes }: Exported): ExitCode {
  if (host.flags.json === true) {
    host.json({ directory, tasks, leftOut, notes })
    return 0
  }
  const { out } = host.terminal
  out(`${counted(tasks.length, 'task')} in ${relative(host.cwd, directory) || '.'}\n`)
  for (const { item, reason } of leftOut) out(`  left out: ${safeLine(item)} ${safeLine(reason)}\n`)
  const said = [...new Set(notes.map(({ note }) => note))]
  for (const note of said)
    out(`- ${counted(notes.filter((one) => one.note === note).length, 'item')}: ${safeLine(note)}\n`)
  return 0
}

/** The part of an item's judge that a shell script can do. */
interface ScriptedJudge {
  /** The shell line that runs the tests. */
  readonly line: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number | undefined
  readonly exitCodes: readonly number[]
  /** The paths of the reference that replace those of the workspace first. */
  readonly hidden: readonly string[]
  /** An image that contains the tool. */
  readonly image: string
  /** The options of the judge that the script ignores. */
  readonly lost: readonly string[]
}

/** A judge, the reason why the item cannot be exported, or the directory of the task that it was imported from. */
type Exportable = { readonly judge: ScriptedJudge } | { readonly task: string } | { readonly problem: string }

type Options = Readonly<Record<string, unknown>>

function exportable(judges: Json): Exportable {
  const described = describedIn(judges)
  const [only] = described
  if (only === undefined || described.length !== 1)
    return { problem: `has ${described.length} judges of its own; a verifier is made of one` }
  const { type, ...options } = only
  if (type === 'harbor-verifier') return { task: String(options['task']) }
  if (type !== 'tests-pass' && type !== 'command-succeeds')
    return {
      problem: `is judged by ${String(type)}, which no script can do; only tests-pass and command-succeeds are exported`,
    }
  const line = lineOf(options)
  if (line === undefined) return { problem: `its judge ${type} has no command` }
  const overlay = isPlainObject(options['overlay']) ? options['overlay'] : {}
  if (overlay['from'] !== undefined) return { problem: 'its tests are laid from another directory than the reference' }
  try {
    return { judge: scripted(line, options, overlay) }
  } catch (thrown) {
    return { problem: `its judge ${type}: ${failureOf(thrown).message}` }
  }
}

const unscripted = ['expect', 'mustPass', 'mustStayPassing', 'mustFail', 'isolate', 'matches', 'notMatches', 'cpuMs']

/** @throws `path-invalid` or `path-escape` for a path outside the workspace */
function scripted(line: string, options: Options, overlay: Options): ScriptedJudge {
  const { cwd, env, timeoutMs, exitCode = 0 } = options
  const variables = isPlainObject(env) ? Object.entries(env) : []
  return {
    line,
    cwd: cwd === undefined ? '.' : normalizePath(String(cwd)),
    env: Object.fromEntries(
      variables.flatMap(([name, value]) => (/^[A-Za-z_]\w*$/.test(name) ? [[name, String(value)]] : [])),
    ),
    timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : undefined,
    exitCodes: [exitCode].flat().map(Number).filter(Number.isSafeInteger),
    hidden: (Array.isArray(overlay['paths']) ? overlay['paths'] : []).map((path) => normalizePath(String(path))),
    image: images.find(([program]) => program.test(line))?.[1] ?? 'debian:bookworm-slim',
    lost: unscripted.filter((name) => options[name] !== undefined),
  }
}

function describedIn(judges: unknown): readonly Options[] {
  if (Array.isArray(judges)) return judges.filter(isPlainObject)
  if (!isPlainObject(judges)) return []
  return typeof judges['type'] === 'string' ? [judges] : Object.values(judges).filter(isPlainObject)
}

const tools: Readonly<Record<string, string>> = {
  maven: 'mvn',
  gradle: 'gradle',
  npm: 'npm run',
  pnpm: 'pnpm run',
  yarn: 'yarn run',
  cargo: 'cargo',
  go: 'go',
  pytest: 'pytest',
}

function lineOf({ command, tool, arguments: words }: Options): string | undefined {
  if (typeof command === 'string') return command
  if (Array.isArray(command) && command.length > 0) return command.map((word) => shellWord(String(word))).join(' ')
  const program = typeof tool === 'string' ? tools[tool] : undefined
  if (program === undefined) return undefined
  const given = Array.isArray(words) ? words.map((word) => shellWord(String(word))) : []
  const usual = tool === 'go' ? ['test', './...'] : tool === 'pytest' ? [] : ['test']
  return [program, ...(given.length === 0 ? usual : given)].join(' ')
}

const images: readonly (readonly [program: RegExp, image: string])[] = [
  [/\b(?:pytest|python3?)\b/, 'python:3.12-bookworm'],
  [/\b(?:npm|npx|pnpm|yarn|node)\b/, 'node:22-bookworm'],
  [/\bcargo\b/, 'rust:1-bookworm'],
  [/^go\b/, 'golang:1-bookworm'],
  [/\bmvnw?\b/, 'maven:3-eclipse-temurin-21'],
  [/\bgradlew?\b/, 'gradle:8-jdk21'],
]

/** The verifier copies the hidden tests into the workspace, runs them, and writes 1 or 0. */
function testScript({ line, cwd, env, exitCodes, hidden }: ScriptedJudge): string {
  const lay = hidden.flatMap((path) => {
    const [target, source] = [shellWord(`./${path}`), shellWord(`/tests/files/${path}`)]
    return [`rm -rf ${target}`, `mkdir -p "$(dirname ${target})"`, `cp -a ${source} ${target}`]
  })
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`)
  return `#!/bin/bash
cd /app || exit 1
${[...lay, ...variables, `cd ${shellWord(`./${cwd}`)} || exit 1`].join('\n')}
(
${line}
)
code=$?
case "$code" in
  ${exitCodes.join(' | ')}) reward=1 ;;
  *) reward=0 ;;
esac
echo "$reward" > /logs/verifier/reward.txt
`
}

interface TaskParts {
  /** `organization/name`. */
  readonly name: string
  readonly item: DatasetItem
  readonly judge: ScriptedJudge
  readonly lease: WorkspaceLease
  /** The image of the container. Default: one that contains the tool of the tests. */
  readonly image: string | undefined
  /** A shell line for the Dockerfile. */
  readonly setup: string | undefined
}

async function writeTask(directory: string, parts: TaskParts): Promise<void> {
  const { item, judge, lease } = parts
  const files: Record<string, string> = {
    'task.toml': taskFile(parts),
    'instruction.md': item.task.endsWith('\n') ? item.task : `${item.task}\n`,
    'environment/Dockerfile': await dockerfile(directory, parts),
    'tests/test.sh': testScript(judge),
  }
  const { reference } = lease
  if (reference?.root !== undefined) {
    for (const path of judge.hidden) await copyPath(reference.root, path, join(directory, 'tests', 'files'))
    files['solution/solve.sh'] = await solution(join(directory, 'solution', 'files'), parts, reference.root)
  }
  await writeFiles(directory, files)
  for (const path of Object.keys(files)) if (path.endsWith('.sh')) await chmod(join(directory, path), 0o755)
}

function taskFile({ name, item, judge }: TaskParts): string {
  return `${stringify({
    schema_version: '1.1',
    task: { name, keywords: [...item.tags] },
    metadata: { jurist: { item: item.id, hash: item.hash } },
    ...(item.timeoutMs === null ? {} : { agent: { timeout_sec: item.timeoutMs / 1000 } }),
    ...(judge.timeoutMs === undefined ? {} : { verifier: { timeout_sec: judge.timeoutMs / 1000 } }),
    environment: { allow_internet: false },
  })}\n`
}

/** Copies the agent's initial state, and returns the Dockerfile that copies it into the image. */
async function dockerfile(directory: string, { item, judge, lease, image, setup }: TaskParts): Promise<string> {
  const lines = [`FROM ${item.image ?? image ?? judge.image}`, 'WORKDIR /app']
  let isEmpty = true
  for await (const _ of lease.workspace.list()) {
    isEmpty = false
    break
  }
  const { root } = lease.workspace
  if (!isEmpty && root !== undefined) {
    await kept(copyOf(root, { to: join(directory, 'environment', 'workspace') }))
    lines.push('COPY workspace/ /app/')
  }
  if (setup !== undefined) lines.push(`RUN ${setup}`)
  return `${lines.join('\n')}\n`
}

/** Copies the files that the reference adds or changes, and returns the script that applies them to the workspace. */
async function solution(files: string, { item, judge, lease }: TaskParts, reference: string): Promise<string> {
  const isHidden = (path: string) => judge.hidden.some((hidden) => path === hidden || path.startsWith(`${hidden}/`))
  const { workspace } = lease
  const right = new Set<string>()
  await mkdir(files, { recursive: true })
  for await (const { path, type } of lease.reference?.list() ?? []) {
    if (type === 'directory' || path.startsWith('.git/') || isHidden(path)) continue
    right.add(path)
    if (workspace.root === undefined || !(await isSame(join(workspace.root, path), join(reference, path))))
      await copyPath(reference, path, files)
  }
  const gone: string[] = []
  // A commit contains the whole tree, but a directory may contain only part of it.
  if (item.reference?.type === 'git')
    for await (const { path, type } of workspace.list())
      if (type !== 'directory' && !path.startsWith('.git/') && !isHidden(path) && !right.has(path)) gone.push(path)
  return `#!/bin/bash
set -e
cd /app
cp -a /solution/files/. ./
${gone.map((path) => `rm -f ${shellWord(`./${path}`)}\n`).join('')}`
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [before, after] = await Promise.all([one, other].map((path) => lstat(path).catch(() => undefined)))
  if (!before?.isFile() || !after?.isFile() || before.size !== after.size || before.mode !== after.mode) return false
  return (await readFile(one)).equals(await readFile(other))
}

/**
 * Copies a file or directory of a reference. A missing path is ignored; a link that leads out of the reference is
 * refused.
 */
async function copyPath(root: string, path: string, to: string): Promise<void> {
  const source = join(root, path)
  if ((await lstat(source).catch(() => undefined)) === undefined) return
  const [real, realRoot] = [await realpath(source), await realpath(root)]
  if (relative(realRoot, real).startsWith('..')) throw new Error(`${path} leads out of the reference through a link.`)
  await mkdir(dirname(join(to, path)), { recursive: true })
  await cp(source, join(to, path), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}
