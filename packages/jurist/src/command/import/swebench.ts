import { mkdir, stat } from 'node:fs/promises'
import { basename, extname, join, relative, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { shellWord } from '@jurist/kit/shell-word'
import { safeLine } from '@jurist/kit/terminal'
import { logParserNames } from '@jurist/workspace/internal'
import { usageInvalid } from '../../config/problems.js'
import { setupCommand } from '../../import/git/project-commands.js'
import { findClones } from '../../import/swebench/find-clones.js'
import { gradedTests } from '../../import/swebench/graded-tests.js'
import { type Instance, readInstances } from '../../import/swebench/instances.js'
import { type MadeTrees, makeTrees } from '../../import/swebench/repository-trees.js'
import { repositoryPath, type SwebenchItem, writeSwebenchProject } from '../../import/swebench/swebench-project.js'
import { readDocuments, unreadable } from '../../import/traces/trace-files.js'
import type { ExitCode } from '../failure-report.js'
import { existingDirectory } from '../files.js'
import type { Host } from '../host.js'
import { newProject } from './new-project.js'

interface SwebenchFlags {
  readonly out: string | undefined
  readonly repositories: string | undefined
  readonly testCommand: string | undefined
  readonly setup: string | undefined
  readonly keep: readonly string[]
  readonly sandbox: string | undefined
}

/** Makes a project of instances of SWE-bench. */
export async function importSwebench(host: Host, source: string, flags: SwebenchFlags): Promise<ExitCode> {
  const { root, made } = await newProject(host, flags.out ?? 'evals', (directory, signal) =>
    makeItems(host, { directory, source, flags, signal }),
  )
  return report(host, { root, ...made })
}

interface MakingItems {
  readonly directory: string
  readonly source: string
  readonly flags: SwebenchFlags
  readonly signal: AbortSignal
}

/** Writes the project. */
async function makeItems(host: Host, { directory, source, flags, signal }: MakingItems): Promise<Omit<Made, 'root'>> {
  const file = resolve(host.cwd, source)
  if ((await stat(file).catch(() => undefined))?.isFile() !== true)
    throw usageInvalid('source', `${source} is not a file. Name the instances, a .json or .jsonl file.`)
  const read = readInstances(await readDocuments({ path: file, shown: source }))
  if ('problems' in read) throw unreadable(source, read.problems)
  const { instances } = read
  const repos = [...new Set(instances.map(({ repo }) => repo))].sort()
  const clones =
    flags.repositories === undefined
      ? new Map<string, string>()
      : await findClones(await existingDirectory(flags.repositories, '--repositories', host.cwd), repos, signal)
  const notes: Note[] = read.notes.map((note) => ({ of: null, note }))
  const items: SwebenchItem[] = []
  for (const repo of repos) {
    const those = instances.filter((instance) => instance.repo === repo)
    const made = await itemsOf({ host, directory, repo, clone: clones.get(repo), those, flags, signal })
    items.push(...made.items)
    notes.push(...made.notes)
  }
  const setup = flags.setup === undefined ? undefined : setupCommand(flags.setup, flags.keep, new Set(rootPaths(items)))
  const name = nameOf(source)
  await writeSwebenchProject(directory, { name, items: inOrder(items, instances), sandbox: flags.sandbox, setup })
  return { items, missing: repos.filter((repo) => !clones.has(repo)), notes }
}

/** What a person should look at, of one instance or of all of them. */
interface Note {
  readonly of: string | null
  readonly note: string
}

interface OneRepository {
  readonly host: Host
  readonly directory: string
  readonly repo: string
  readonly clone: string | undefined
  readonly those: readonly Instance[]
  readonly flags: SwebenchFlags
  readonly signal: AbortSignal
}

/** The items of one repository; those without files are kept, disabled. */
async function itemsOf(
  one: OneRepository,
): Promise<{ readonly items: readonly SwebenchItem[]; readonly notes: readonly Note[] }> {
  const { host, directory, repo, clone, those, flags, signal } = one
  if (clone === undefined) return { items: those.map((instance) => ({ instance })), notes: [] }
  const target = join(directory, 'dataset', repositoryPath(repo))
  await mkdir(join(directory, 'dataset', 'repositories'), { recursive: true })
  const onProgress = (done: number) => {
    if (done % 50 === 0) host.note(`${repo}: ${done} of ${counted(those.length, 'instance')}`)
  }
  const made = await makeTrees(those, { clone, target, signal, onProgress })
  const notes: Note[] = []
  const items = those.map((instance): SwebenchItem => {
    const solved = solvedOf(instance, made, flags.testCommand)
    notes.push(...solved.notes.map((note) => ({ of: instance.id, note })))
    return { instance, ...('item' in solved && { solved: { ...solved.item, repoPath: repositoryPath(repo) } }) }
  })
  return { items, notes }
}

function solvedOf(instance: Instance, made: MadeTrees, testCommand: string | undefined) {
  const trees = made.get(instance.id) ?? { problem: 'its files could not be made' }
  if ('problem' in trees) return { notes: [trees.problem] }
  const tests = gradedTests(instance, trees, testCommand, logParserNames)
  if ('problem' in tests) return { notes: [tests.problem] }
  return { item: { trees, judge: tests.judge }, notes: tests.notes }
}

function rootPaths(items: readonly SwebenchItem[]): readonly string[] {
  return items.flatMap(({ solved }) => [...(solved?.trees.root.paths ?? [])])
}

function inOrder(items: readonly SwebenchItem[], instances: readonly Instance[]): readonly SwebenchItem[] {
  const byId = new Map(items.map((item) => [item.instance.id, item]))
  return instances.flatMap(({ id }) => byId.get(id) ?? [])
}

/** The name of the experiment: that of the file. */
function nameOf(source: string): string {
  const name = basename(source, extname(source))
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 60)
  return name === '' ? 'swe-bench' : name
}

interface Made {
  readonly root: string
  readonly items: readonly SwebenchItem[]
  /** Repositories without a clone. */
  readonly missing: readonly string[]
  readonly notes: readonly Note[]
}

const mostShown = 20

function report(host: Host, { root, items, missing, notes }: Made): ExitCode {
  const ready = items.filter(({ solved }) => solved !== undefined).map(({ instance }) => instance.id)
  if (host.flags.json === true) {
    host.json({ directory: root, items: ready, disabled: items.length - ready.length, missing, notes })
    return 0
  }
  const { out } = host.terminal
  const shown = relative(host.cwd, root) || '.'
  out(`Made ${shown}: ${counted(items.length, 'item')}, ${items.length - ready.length} of them disabled.\n`)
  if (missing.length > 0) {
    out('\nWithout a clone, and so without files:\n')
    listed(
      missing.map((repo) => `- ${repo}: git clone --bare https://github.com/${repo} CLONES/${repo}.git\n`),
      out,
    )
    out('Then import again with --repositories CLONES, into another directory.\n')
  }
  if (notes.length > 0) out('\nLook at:\n')
  listed(
    notes.map(({ of, note }) => `- ${of === null ? '' : `${of}: `}${safeLine(note)}\n`),
    out,
  )
  if (ready.length > 0) out(`\nNext:  cd ${shellWord(shown)} && npx jurist establish && npx jurist run\n`)
  return 0
}

function listed(lines: readonly string[], out: (text: string) => void): void {
  for (const line of lines.slice(0, mostShown)) out(line)
  if (lines.length > mostShown) out(`… ${lines.length - mostShown} more: --json lists all\n`)
}
