import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, existingDirectory, type FlagValues } from '@jurist/experiment/plugin'
import { shownFromHere } from '@jurist/kit/shown-path'
import { logParserNames } from '@jurist/workspace/internal'
import type { sharedGitFlags, swebenchFlags } from '../flags.js'
import { setupCommands } from '../git/project-commands.js'
import { earlierImport, type ItemNote, listed, listedNotes, newProject, nextSteps, sourceFile } from '../new-project.js'
import { projectName } from '../task-directories.js'
import { readDocuments, unreadable } from '../traces/trace-files.js'
import { writeProject } from '../write-project.js'
import { gradedTests } from './graded-tests.js'
import { type Instance, readInstances } from './instances.js'
import { findClones, type MadeTrees, makeTrees, reasonIn } from './repository-trees.js'
import {
  addItems,
  type EarlierProject,
  earlierProject,
  listedItem,
  repositoryPath,
  type SwebenchItem,
  writeInstance,
} from './swebench-project.js'

type SwebenchFlags = FlagValues<typeof sharedGitFlags> & FlagValues<typeof swebenchFlags>

/** Creates a project from instances of SWE-bench, or adds missing items to an existing one. */
export async function importSwebench(
  host: CommandHost,
  source: string,
  out: string,
  flags: SwebenchFlags,
): Promise<ExitCode> {
  const root = resolve(host.cwd, out)
  const earlier = await earlierImport({
    ...{ root, shown: out, resume: flags.resume, source: 'SWE-bench' },
    read: () => earlierProject(root),
  })
  if (earlier !== undefined) {
    using interrupt = host.interruptible(() => 'Stopping. The project stays as it was; --resume continues.')
    const { signal } = interrupt
    return report(host, root, await makeItems(host, source, { flags, directory: root, signal, earlier }))
  }
  const { made } = await newProject(host, out, (directory, signal) =>
    makeItems(host, source, { flags, directory, signal, earlier }),
  )
  return report(host, root, made)
}

async function makeItems(
  host: CommandHost,
  source: string,
  { flags, directory, signal, earlier }: Making & { readonly earlier: EarlierProject | undefined },
) {
  const file = await sourceFile(host, source, 'Name the instances, a .json or .jsonl file.')
  const read = readInstances(await readDocuments({ path: file, shown: source }))
  if ('problems' in read) throw unreadable(source, read.problems)
  const instances = read.instances.filter(({ id }) => earlier?.whole.has(id) !== true)
  const there = read.instances.filter(({ id }) => earlier?.whole.has(id) === true).map(({ id }) => id)
  const repos = [...new Set(instances.map(({ repo }) => repo))].sort()
  const clones =
    flags.repositories === undefined
      ? new Map<string, string>()
      : await findClones(await existingDirectory(flags.repositories, '--repositories', host.cwd), repos, signal)
  const notes: ItemNote[] = read.notes.map((note) => ({ of: null, note }))
  const solved = new Map<string, SwebenchItem>()
  for (const [repo, clone] of clones) {
    const those = instances.filter((instance) => instance.repo === repo)
    for (const item of await itemsOf(host, { flags, directory, signal, notes }, { repo, clone, those }))
      solved.set(item.instance.id, item)
  }
  signal.throwIfAborted()
  // An instance without files is kept, but disabled.
  const items = instances.map((instance) => solved.get(instance.id) ?? { instance })
  const made = { items, there, missing: repos.filter((repo) => !clones.has(repo)), notes }
  if (earlier !== undefined) {
    await addItems(directory, earlier, items)
    return made
  }
  const paths = new Set(items.flatMap(({ solved }) => [...(solved?.trees.root.paths ?? [])]))
  for (const item of items) await writeInstance(directory, item)
  await writeProject(directory, {
    about: 'Instances of SWE-bench. Each is judged by the tests of its test_patch',
    name: projectName(basename(source, extname(source)), 'swe-bench'),
    items: items.map(listedItem),
    metadata: { source: { format: 'swe-bench' } },
    sandbox: flags.sandbox,
    setup: flags.setup === undefined ? undefined : setupCommands(flags.setup, flags.keep, paths),
    settings: [
      '# The items describe the command that runs their tests: read them before you trust a file that you did not make.',
      'trustItems: true',
    ],
  })
  return made
}

interface Making {
  readonly flags: SwebenchFlags
  readonly directory: string
  readonly signal: AbortSignal
}

/** Returns the items of a repository that has a clone. */
async function itemsOf(
  host: CommandHost,
  { flags, directory, signal, notes }: Making & { readonly notes: ItemNote[] },
  { repo, clone, those }: { readonly repo: string; readonly clone: string; readonly those: readonly Instance[] },
): Promise<readonly SwebenchItem[]> {
  const target = join(directory, 'dataset', repositoryPath(repo))
  await mkdir(join(directory, 'dataset', 'repositories'), { recursive: true })
  const onProgress = (done: number) => {
    if (done % 50 === 0) host.note(`${repo}: ${done} of ${counted(those.length, 'instance')}`)
  }
  const isNew = (await stat(target).catch(() => undefined)) === undefined
  const made = await makeTrees(those, { clone, target, signal, onProgress }).catch(reasonIn)
  if (typeof made === 'string') {
    if (isNew) await rm(target, { recursive: true, force: true })
    notes.push({ of: repo, note: `its clone cannot be read: ${made}` })
    return []
  }
  return those.map((instance) => {
    const solved = solvedOf(instance, made, flags.testCommand)
    notes.push(...solved.notes.map((note) => ({ of: instance.id, note })))
    return { instance, solved: solved.item && { ...solved.item, repoPath: repositoryPath(repo) } }
  })
}

function solvedOf(instance: Instance, made: MadeTrees, testCommand: string | undefined) {
  const trees = made.get(instance.id) ?? { problem: 'its files could not be made' }
  if ('problem' in trees) return { notes: [trees.problem] }
  const tests = gradedTests(instance, trees, testCommand, logParserNames)
  if ('problem' in tests) return { notes: [tests.problem] }
  return { item: { trees, judge: tests.judge }, notes: tests.notes }
}

function report(
  host: CommandHost,
  root: string,
  { items, there, missing, notes }: Awaited<ReturnType<typeof makeItems>>,
): ExitCode {
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
    out(listed(missing.map((repo) => `${repo}: git clone --bare https://github.com/${repo} CLONES/${repo}.git`)))
    out('Then import again with --repositories CLONES --resume.\n')
  }
  if (notes.length > 0) out(`\nLook at:\n${listedNotes(notes)}`)
  if (ready.length > 0) out(nextSteps(root, 'vet establish', 'run'))
  return 0
}
