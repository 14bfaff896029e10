import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { safeLine } from '@jurist/kit/terminal'
import { logParserNames } from '@jurist/workspace/internal'
import { usageInvalid } from '../../config/problems.js'
import { setupCommands } from '../../import/git/project-commands.js'
import { gradedTests } from '../../import/swebench/graded-tests.js'
import { type Instance, readInstances } from '../../import/swebench/instances.js'
import { findClones, type MadeTrees, makeTrees, reasonIn } from '../../import/swebench/repository-trees.js'
import {
  addItems,
  type EarlierProject,
  earlierProject,
  repositoryPath,
  type SwebenchItem,
  writeSwebenchProject,
} from '../../import/swebench/swebench-project.js'
import { readDocuments, unreadable } from '../../import/traces/trace-files.js'
import type { ExitCode } from '../failure-report.js'
import { existingDirectory } from '../files.js'
import type { Host } from '../host.js'
import { interruptible } from '../process.js'
import { shownFromHere } from '../results-store.js'
import { earlierImport, newProject, nextSteps } from './new-project.js'

interface SwebenchFlags {
  readonly out: string | undefined
  readonly repositories: string | undefined
  readonly testCommand: string | undefined
  readonly setup: string | undefined
  readonly keep: readonly string[]
  readonly sandbox: string | undefined
  readonly resume: boolean
}

/** Makes a project of instances of SWE-bench, or adds to one what it lacks. */
export async function importSwebench(host: Host, source: string, flags: SwebenchFlags): Promise<ExitCode> {
  const out = flags.out ?? 'evals'
  const root = resolve(host.cwd, out)
  const earlier = await earlierImport({
    ...{ root, shown: out, resume: flags.resume, source: 'SWE-bench' },
    read: () => earlierProject(root),
  })
  if (earlier !== undefined) {
    using interrupt = interruptible(host, () => 'Stopping. The project stays as it was; --resume continues.')
    const { signal } = interrupt
    return report(host, { root, ...(await makeItems(host, { directory: root, source, flags, signal, earlier })) })
  }
  const { made } = await newProject(host, out, (directory, signal) =>
    makeItems(host, { directory, source, flags, signal, earlier }),
  )
  return report(host, { root, ...made })
}

interface MakingItems {
  readonly directory: string
  readonly source: string
  readonly flags: SwebenchFlags
  readonly signal: AbortSignal
  /** The project to add to. */
  readonly earlier: EarlierProject | undefined
}

/** Writes the project, or what it lacks. */
async function makeItems(host: Host, making: MakingItems): Promise<Omit<Made, 'root'>> {
  const { directory, source, flags, signal, earlier } = making
  const file = resolve(host.cwd, source)
  if ((await stat(file).catch(() => undefined))?.isFile() !== true)
    throw usageInvalid('source', `${source} is not a file. Name the instances, a .json or .jsonl file.`)
  const read = readInstances(await readDocuments({ path: file, shown: source }))
  if ('problems' in read) throw unreadable(source, read.problems)
  const instances = read.instances.filter(({ id }) => earlier?.whole.has(id) !== true)
  const there = read.instances.filter(({ id }) => earlier?.whole.has(id) === true).map(({ id }) => id)
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
  signal.throwIfAborted()
  const made = { items, there, missing: repos.filter((repo) => !clones.has(repo)), notes }
  if (earlier !== undefined) {
    await addItems(directory, earlier, inOrder(items, instances))
    return made
  }
  const setup =
    flags.setup === undefined ? undefined : setupCommands(flags.setup, flags.keep, new Set(rootPaths(items)))
  const name = nameOf(source)
  await writeSwebenchProject(directory, { name, items: inOrder(items, instances), sandbox: flags.sandbox, setup })
  return made
}

/** What a person should look at, of one instance, of a repository or of all of them. */
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
  const isNew = (await stat(target).catch(() => undefined)) === undefined
  const made = await makeTrees(those, { clone, target, signal, onProgress }).catch(reasonIn)
  if (typeof made === 'string') {
    if (isNew) await rm(target, { recursive: true, force: true })
    const notes = [{ of: repo, note: `its clone cannot be read: ${made}` }]
    return { items: those.map((instance) => ({ instance })), notes }
  }
  const notes: Note[] = []
  const items = those.map((instance): SwebenchItem => {
    const solved = solvedOf(instance, made, flags.testCommand)
    notes.push(...solved.notes.map((note) => ({ of: instance.id, note })))
    return { instance, solved: solved.item && { ...solved.item, repoPath: repositoryPath(repo) } }
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
  /** What was imported now. */
  readonly items: readonly SwebenchItem[]
  /** The instances whose items were whole before. */
  readonly there: readonly string[]
  /** Repositories without a clone. */
  readonly missing: readonly string[]
  readonly notes: readonly Note[]
}

const mostShown = 20

function report(host: Host, { root, items, there, missing, notes }: Made): ExitCode {
  const ready = items.filter(({ solved }) => solved !== undefined).map(({ instance }) => instance.id)
  const disabled = items.length - ready.length
  if (host.flags.json === true) {
    host.json({ directory: root, items: ready, there, disabled, missing, notes })
    return 0
  }
  const { out } = host.terminal
  const shown = shownFromHere(root)
  const before =
    there.length === 0 ? '' : ` ${counted(there.length, 'item')} ${there.length === 1 ? 'was' : 'were'} there.`
  out(
    `${before === '' ? 'Made' : 'Added to'} ${shown}: ${counted(items.length, 'item')}, ${disabled} of them disabled.${before}\n`,
  )
  if (missing.length > 0) {
    out('\nWithout a clone, and so without files:\n')
    listed(
      missing.map((repo) => `- ${repo}: git clone --bare https://github.com/${repo} CLONES/${repo}.git\n`),
      out,
    )
    out('Then import again with --repositories CLONES --resume.\n')
  }
  if (notes.length > 0) out('\nLook at:\n')
  listed(
    notes.map(({ of, note }) => `- ${of === null ? '' : `${of}: `}${safeLine(note)}\n`),
    out,
  )
  if (ready.length > 0) out(nextSteps(root, 'establish', 'run'))
  return 0
}

function listed(lines: readonly string[], out: (text: string) => void): void {
  for (const line of lines.slice(0, mostShown)) out(line)
  if (lines.length > mostShown) out(`… ${lines.length - mostShown} more: --json lists all\n`)
}
