import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CommandHost, ExitCode, FlagValues } from '@jurist/experiment/plugin'
import { dockerSandbox } from '@jurist/workspace'
import { solveTask } from '@jurist/workspace/internal'
import type { harborFlags } from '../flags.js'
import { type ItemNote, newProject, reportImport, sourceDirectory } from '../new-project.js'
import { projectName } from '../task-directories.js'
import { itemDirectory, writeProject } from '../write-project.js'
import { containerProgram } from './container-image.js'
import { type Making, makeItem, sandboxOfAgents, type TaskMachine } from './make-item.js'
import { type HarborTask, readTasks } from './read-tasks.js'

type HarborFlags = FlagValues<typeof harborFlags>

export async function importHarbor(
  host: CommandHost,
  given: string,
  out: string,
  flags: HarborFlags,
): Promise<ExitCode> {
  const source = await sourceDirectory(host, given, 'Name one of a Harbor task, or of tasks.')
  const { root, made } = await newProject(host, out, async (directory, signal) => {
    const { tasks, leftOut } = await readTasks(source, given)
    const making: Making = { container: flags.container ?? (await containerProgram(signal)), signal }
    const notes: ItemNote[] = []
    const machines: TaskMachine[] = []
    for (const task of tasks) {
      signal.throwIfAborted()
      const { machine, notes: said } = await makeItem(itemDirectory(directory, task.id), task, making)
      const failed = flags.skipSolution ? undefined : await solve(host, directory, task, machine, making)
      machines.push(machine)
      const all = failed === undefined ? said : [...said, failed]
      notes.push(...all.map((note) => ({ of: task.id, note })))
    }
    await writeProject(directory, {
      about: 'Harbor tasks. Each is judged by its own verifier, tests/test.sh, after the agent',
      name: projectName(basename(source), 'harbor'),
      items: tasks.map(({ id }, at) => ({ id, isDisabled: machines[at]?.image === undefined })),
      sandbox: sandboxOfAgents(machines, tasks, making.container),
      settings: [
        '# The verifier also looks at what an agent left that failed or took too long.',
        'judgeFailedRuns: true',
        `judgeTimeoutMs: ${longestJudging(tasks)}`,
        '# What the solution of a task wrote is the right answer, whatever its files are called.',
        'vet: { solution: ["**"] }',
      ],
    })
    return { tasks, leftOut, notes: [...notes, ...otherPlaces(tasks, machines)] }
  })
  const { tasks, leftOut, notes } = made
  const unknown = tasks.flatMap(({ id, file }) => (file.unknown.length > 0 ? [[id, file.unknown] as const] : []))
  const items = tasks.map(({ id }) => id)
  reportImport(host, root, {
    ...{ items, leftOut, unknown: Object.fromEntries(unknown), notes },
    next: ['vet establish', 'run'],
  })
  return 0
}

/** The agents' sandbox has only one place for the workspace. */
function otherPlaces(tasks: readonly HarborTask[], machines: readonly TaskMachine[]): readonly ItemNote[] {
  const place = machines.find(({ image }) => image !== undefined)?.workdir
  return tasks.flatMap(({ id }, at) => {
    const machine = machines[at]
    if (place === undefined || machine?.image === undefined || machine.workdir === place) return []
    return [{ of: id, note: `works in ${machine.workdir}, and agents find the workspace at ${place}: import it apart` }]
  })
}

const usualVerifierMs = 600_000
const marginMs = 60_000

/** Longer than any verifier, so that a slow one reports its own timeout. */
function longestJudging(tasks: readonly HarborTask[]): number {
  return Math.max(...tasks.map(({ file }) => file.verifierTimeoutMs ?? usualVerifierMs)) + marginMs
}

/** Runs the solution where its verifier would run. Returns a note if it failed. */
async function solve(
  host: CommandHost,
  root: string,
  task: HarborTask,
  { workdir, image }: TaskMachine,
  { container: cli, signal }: Making,
): Promise<string | undefined> {
  if (image === undefined || !task.hasSolution) return undefined
  host.note(`${task.id}: solution/solve.sh`)
  const { agentTimeoutMs = usualVerifierMs, network, solutionEnv: env, memoryBytes, cpus } = task.file
  const place = itemDirectory(root, task.id)
  const [before, to] = [join(place, 'before'), join(place, 'reference')]
  const isEmpty = (await stat(before).catch(() => undefined)) === undefined
  if (isEmpty) await mkdir(before)
  const solving = { task: join(place, 'harbor'), before, to, workdir, network, memoryBytes, cpus }
  const sandbox = dockerSandbox({ image, cli, asImage: true })
  const failed = await solveTask({ ...solving, sandbox, env, timeoutMs: agentTimeoutMs, signal })
  if (isEmpty) await rm(before, { recursive: true })
  return failed === undefined ? undefined : `solution/solve.sh failed, so there is no reference: ${failed}`
}
