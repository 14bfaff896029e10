import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { shellWord } from '@jurist/kit/shell-word'
import { safeLine } from '@jurist/kit/terminal'
import { containerNeed, solveTask } from '@jurist/workspace/internal'
import { usageInvalid } from '../config/problems.js'
import { itemDirectory, writeProject } from '../import/harbor/project.js'
import { type FoundTasks, type HarborTask, readTasks } from '../import/harbor/read-tasks.js'
import { planOf, workdirProblem, writeItem } from '../import/harbor/write-item.js'
import type { ExitCode } from './failure-report.js'
import type { FlagValues } from './flags.js'
import type { Host } from './host.js'
import type { harborFlags } from './import-harbor-flags.js'
import { interruptible } from './process-events.js'

type HarborFlags = FlagValues<typeof harborFlags>
type Notes = { of: string; note: string }[]

/** Makes a dataset of tasks of Harbor. */
export async function importHarbor(host: Host, given: string, out: string, flags: HarborFlags): Promise<ExitCode> {
  using interrupt = interruptible(host, () => 'Stopping. Nothing is kept.')
  const { signal } = interrupt
  const root = resolve(host.cwd, out)
  if ((await stat(root).catch(() => undefined)) !== undefined)
    throw usageInvalid('--out', `${out} exists already. Nothing was written. Name a directory to make.`)
  const source = resolve(host.cwd, given)
  if (!((await stat(source).catch(() => undefined))?.isDirectory() ?? false))
    throw usageInvalid('source', `${given} is not a directory. Name one of a Harbor task, or of tasks.`)
  const found = await readTasks(source, given)
  const notes: Notes = []
  // A directory of its own until it is whole: an import that fails leaves nothing.
  const made = `${root}.importing-${process.pid}`
  try {
    await mkdir(made, { recursive: true })
    for (const task of found.tasks) {
      signal.throwIfAborted()
      const said = await writeTask(host, made, task, flags, signal)
      notes.push(...said.map((note) => ({ of: task.id, note })))
    }
    await writeProject(made, {
      name: basename(source),
      items: found.tasks.map(({ id }) => id),
      ...(await sandboxOfAgents(found.tasks, flags)),
      judgeTimeoutMs: longestJudging(found.tasks),
    })
    await rename(made, root)
  } catch (thrown) {
    await rm(made, { recursive: true, force: true })
    throw thrown
  }
  return report(host, root, found, notes)
}

const usualVerifierMs = 600_000
const marginMs = 60_000

/** Longer than any verifier: one that takes too long is to say so itself. */
function longestJudging(tasks: readonly HarborTask[]): number {
  return Math.max(...tasks.map(({ file }) => file.verifierTimeoutMs ?? usualVerifierMs)) + marginMs
}

/** The sandbox of agents. What they reach is what every task allows. */
async function sandboxOfAgents(tasks: readonly HarborTask[], { hostTools }: HarborFlags) {
  if (!hostTools)
    return {
      sandbox: 'none',
      about:
        'Verifiers need containers: { docker: { image: …, workspaceAt: /app, asImage: true } }, or an import with --host-tools.',
    }
  const workdirs = new Set<string>()
  for (const task of tasks) workdirs.add((await planOf(task)).workdir)
  const [workspaceAt = '/app'] = workdirs
  const network = tasks.every(({ file }) => file.network) ? { network: 'host' } : {}
  return {
    sandbox: { bubblewrap: { workspaceAt, ...network } },
    about: 'Where commands of agents and judges run: the workspace is where the instructions say.',
  }
}

async function writeTask(
  host: Host,
  root: string,
  task: HarborTask,
  flags: HarborFlags,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { file, directory } = task
  const plan = await planOf(task)
  const place = itemDirectory(root, task.id)
  const { hostTools } = flags
  const notes = [
    ...file.unknown.map((key) => `${key} is not a key of Harbor's schema; it is kept in the item's source`),
    ...file.notes,
    ...(await writeItem(place, task, plan, { hostTools })),
  ]
  const problem = workdirProblem(plan.workdir)
  if (problem !== undefined) return [...notes, problem]
  const need = await containerNeed(directory, plan.workdir)
  if (need !== undefined) return [...notes, need]
  if (!hostTools || flags.skipSolution || !task.hasSolution) return notes
  host.note(`${task.id}: solution/solve.sh`)
  const { agentTimeoutMs = 600_000, network, solutionEnv: env } = file
  const [before, to] = [join(place, 'before'), join(place, 'reference')]
  const isEmpty = (await stat(before).catch(() => undefined)) === undefined
  if (isEmpty) await mkdir(before)
  const solving = { task: join(place, 'harbor'), before, to, workdir: plan.workdir, network, hostTools }
  const failed = await solveTask({ ...solving, env, timeoutMs: agentTimeoutMs, signal })
  if (isEmpty) await rm(before, { recursive: true })
  return failed === undefined ? notes : [...notes, `solution/solve.sh failed, so there is no reference: ${failed}`]
}

const mostNotes = 40

function report(host: Host, root: string, { tasks, leftOut }: FoundTasks, notes: Notes): ExitCode {
  const items = tasks.map(({ id }) => id)
  const unknown = Object.fromEntries(
    tasks.flatMap(({ id, file }) => (file.unknown.length > 0 ? [[id, file.unknown]] : [])),
  )
  if (host.flags.json === true) {
    host.json({ directory: root, items, leftOut, unknown, notes })
    return 0
  }
  const { out } = host.terminal
  const shown = relative(host.cwd, root) || '.'
  out(
    `${counted(items.length, 'item')} of ${counted(items.length + leftOut.length, 'task')} in ${join(shown, 'dataset')}\n`,
  )
  for (const { task, reason } of leftOut) out(`  left out: ${safeLine(task)} ${safeLine(reason)}\n`)
  if (notes.length > 0) out(`\nLook at:\n${listed(notes)}`)
  out(`\nNext:  cd ${shellWord(shown)} && npx jurist establish && npx jurist run\n`)
  return 0
}

/** Equal notes of several tasks are one line. */
function listed(notes: Notes): string {
  const tasksOf = new Map<string, string[]>()
  for (const { of, note } of notes) tasksOf.set(note, [...(tasksOf.get(note) ?? []), of])
  const lines = [...tasksOf].map(([note, [first = '', ...others]]) => {
    const rest = others.length === 0 ? '' : ` and ${others.length} more`
    return `- ${safeLine(first)}${rest}: ${safeLine(note)}\n`
  })
  const shown = lines.slice(0, mostNotes).join('')
  return `${shown}${lines.length > mostNotes ? `… ${lines.length - mostNotes} more: --json lists all\n` : ''}`
}
