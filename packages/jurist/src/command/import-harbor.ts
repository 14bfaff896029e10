import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { shellWord } from '@jurist/kit/shell-word'
import { safeLine } from '@jurist/kit/terminal'
import { solveTask } from '@jurist/workspace/internal'
import { usageInvalid } from '../config/problems.js'
import { type Making, makeItem, sandboxOfAgents, type TaskMachine } from '../import/harbor/make-item.js'
import { itemDirectory, projectName, writeProject } from '../import/harbor/project.js'
import { type FoundTasks, type HarborTask, readTasks } from '../import/harbor/read-tasks.js'
import type { ExitCode } from './failure-report.js'
import type { FlagValues } from './flags.js'
import type { Host } from './host.js'
import type { harborFlags } from './import-harbor-flags.js'
import { interruptible } from './process-events.js'

type HarborFlags = FlagValues<typeof harborFlags>
type Notes = { of: string; note: string }[]

/** Makes a dataset of tasks of Harbor. */
export async function importHarbor(host: Host, given: string, out: string, flags: HarborFlags): Promise<ExitCode> {
  if (flags.container !== undefined && flags.hostTools)
    throw usageInvalid('--host-tools', 'A verifier runs in a container, or with --host-tools: leave one of them out.')
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
    const machines: TaskMachine[] = []
    for (const task of found.tasks) {
      signal.throwIfAborted()
      const making: Making = { container: flags.container, hostTools: flags.hostTools, signal }
      const { machine, notes: said } = await makeItem(itemDirectory(made, task.id), task, making)
      const failed = flags.skipSolution ? undefined : await solve(host, made, task, machine, signal)
      machines.push(machine)
      const all = [...said, ...(failed === undefined ? [] : [failed])]
      notes.push(...all.map((note) => ({ of: task.id, note })))
    }
    notes.push(...otherPlaces(found.tasks, machines))
    const runs = flags.hostTools || flags.container !== undefined
    await writeProject(made, {
      name: projectName(basename(source)),
      items: found.tasks.map(({ id }, at) => ({
        id,
        isReady: machines[at]?.isSupported === true && (!runs || machines[at].isReady),
      })),
      ...sandboxOfAgents(machines, found.tasks, flags.container),
      judgeTimeoutMs: longestJudging(found.tasks),
    })
    await rename(made, root)
  } catch (thrown) {
    await rm(made, { recursive: true, force: true })
    throw thrown
  }
  return report(host, root, found, notes)
}

/** Agents have one sandbox, with one place of the workspace. */
function otherPlaces(tasks: readonly HarborTask[], machines: readonly TaskMachine[]): Notes {
  const place = machines.find(({ isReady }) => isReady)?.workdir
  return tasks.flatMap(({ id }, at) => {
    const machine = machines[at]
    if (place === undefined || machine?.isReady !== true || machine.workdir === place) return []
    return [{ of: id, note: `works in ${machine.workdir}, and agents find the workspace at ${place}: import it apart` }]
  })
}

const usualVerifierMs = 600_000
const marginMs = 60_000

/** Longer than any verifier: one that takes too long is to say so itself. */
function longestJudging(tasks: readonly HarborTask[]): number {
  return Math.max(...tasks.map(({ file }) => file.verifierTimeoutMs ?? usualVerifierMs)) + marginMs
}

/** Runs the solution where its verifier would run. Returns a note if it failed. */
async function solve(
  host: Host,
  root: string,
  task: HarborTask,
  machine: TaskMachine,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!machine.isReady || !task.hasSolution) return undefined
  host.note(`${task.id}: solution/solve.sh`)
  const { agentTimeoutMs = usualVerifierMs, network, solutionEnv: env, memoryBytes, cpus } = task.file
  const place = itemDirectory(root, task.id)
  const [before, to] = [join(place, 'before'), join(place, 'reference')]
  const isEmpty = (await stat(before).catch(() => undefined)) === undefined
  if (isEmpty) await mkdir(before)
  const { workdir, hostTools, sandbox } = machine
  const solving = { task: join(place, 'harbor'), before, to, workdir, network, hostTools, memoryBytes, cpus }
  const timing = { env, timeoutMs: agentTimeoutMs, signal }
  const failed = await solveTask({ ...solving, ...timing, ...(sandbox === undefined ? {} : { sandbox }) })
  if (isEmpty) await rm(before, { recursive: true })
  return failed === undefined ? undefined : `solution/solve.sh failed, so there is no reference: ${failed}`
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
