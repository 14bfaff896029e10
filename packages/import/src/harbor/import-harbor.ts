import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { failureOf, printed } from '@jurist/core/internal'
import { type CommandHost, type ExitCode, type FlagValues, usageInvalid } from '@jurist/experiment/plugin'
import { checkTaskDirectory } from '@jurist/vet'
import { copyOf, dockerSandbox } from '@jurist/workspace'
import { solveTask, usualWorkdir } from '@jurist/workspace/internal'
import type { harborFlags } from '../flags.js'
import {
  type ItemNote,
  itemDirectory,
  jsonFile,
  kept,
  newProject,
  reportImport,
  sourceDirectory,
  writeFiles,
  writeProject,
} from '../new-project.js'
import { projectName } from '../task-directories.js'
import { type HarborTask, type PhaseNetwork, readTasks } from './read-tasks.js'

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
    return { tasks, leftOut, notes: [...notes, ...otherPlaces(tasks, machines), ...otherHosts(tasks)] }
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

/** The agents' sandbox has only one network: what every task allows. */
function otherHosts(tasks: readonly HarborTask[]): readonly ItemNote[] {
  const { network } = commonNetwork(tasks)
  if (typeof network !== 'object') return []
  const note =
    'allows its agent more hosts than other tasks do, and agents have what every task allows: import it apart'
  return tasks.flatMap(({ id, file }) => {
    const { agent } = file.network
    return typeof agent === 'object' && agent.allow.length === network.allow.length ? [] : [{ of: id, note }]
  })
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
  const solving = { task: join(place, 'harbor'), before, to, workdir, network: network.agent, memoryBytes, cpus }
  const sandbox = dockerSandbox({ image, cli, asImage: true })
  const failed = await solveTask({ ...solving, sandbox, env, timeoutMs: agentTimeoutMs, signal })
  if (isEmpty) await rm(before, { recursive: true })
  return failed === undefined ? undefined : `solution/solve.sh failed, so there is no reference: ${failed}`
}

interface Making {
  readonly container: ContainerProgram
  readonly signal: AbortSignal
}

interface TaskMachine {
  /** The path of the workspace. */
  readonly workdir: string
  /** The image of its containers. If it is `undefined`, the task cannot run and its item is disabled. */
  readonly image: string | undefined
}

async function makeItem(
  directory: string,
  task: HarborTask,
  making: Making,
): Promise<{ readonly machine: TaskMachine; readonly notes: readonly string[] }> {
  const { file } = task
  const made = await machineOf(task, making)
  await writeItem(directory, task, made.machine, making)
  const history = await gitDirectory(join(directory, 'before'))
  const unknown = file.unknown.map((key) => `${key} is not a key of Harbor's schema; it is kept in the item's source`)
  const defects = await defectNotes(task)
  return { machine: made.machine, notes: [...unknown, ...file.notes, ...made.notes, ...history, ...defects] }
}

/** Defects that reading the files shows. What only running can confirm is left to `jurist validate`. */
async function defectNotes({ directory, file }: HarborTask): Promise<readonly string[]> {
  const hasAgentTimeout = file.agentTimeoutMs !== undefined
  const { findings } = await checkTaskDirectory(directory, {
    hasAgentTimeout,
    hasNetwork: file.network.verifier !== false,
  })
  return findings
    .filter(({ level }) => level === 'defect')
    .map(({ file: path, line, what, check, remedy }) => `${path}:${line} ${what} (${check}). ${remedy}`)
}

/** Workspaces are copied without their history. */
async function gitDirectory(before: string): Promise<readonly string[]> {
  const entries = await readdir(before, { recursive: true, withFileTypes: true }).catch(() => [])
  const found = entries.find(({ name }) => name === '.git')
  if (found === undefined) return []
  const path = relative(before, join(found.parentPath, found.name))
  return [`${path} is left out of the workspaces: agents and verifiers see no history of git`]
}

async function machineOf({ file, ...task }: HarborTask, { container, signal }: Making) {
  const notes: string[] = []
  const without = (problem: string) => {
    const workdir = workspacePlace(file.workdir ?? '', notes)
    return { machine: { workdir, image: undefined }, notes: [...notes, problem] }
  }
  if (file.os !== 'linux')
    return without(`the item is disabled: environment.os is ${printed(file.os)}, and only Linux is supported`)
  if (file.unenforceable !== undefined) return without(`the item is disabled: ${file.unenforceable}`)
  try {
    const { image, workdir } = await taskImage(container, { file, ...task }, signal)
    return { machine: { workdir: workspacePlace(file.workdir ?? workdir, notes), image }, notes }
  } catch (thrown) {
    signal.throwIfAborted()
    return without(`there is no image, so the item is disabled: ${failureOf(thrown).message}`)
  }
}

/** The sandbox of agents allows only what every task allows. */
function sandboxOfAgents(
  machines: readonly TaskMachine[],
  tasks: readonly HarborTask[],
  container: ContainerProgram,
): object | string {
  const ready = machines.find(({ image }) => image !== undefined)
  if (ready === undefined) return 'none'
  const network = commonNetwork(tasks)
  return { docker: { image: ready.image, cli: container, workspaceAt: ready.workdir, asImage: true, ...network } }
}

function commonNetwork(tasks: readonly HarborTask[]): { readonly network?: 'bridge' | Exclude<PhaseNetwork, boolean> } {
  const networks = tasks.map(({ file }) => file.network.agent)
  if (networks.includes(false)) return {}
  const lists = networks.flatMap((network) => (typeof network === 'object' ? [network.allow] : []))
  const [first, ...others] = lists
  if (first === undefined) return { network: 'bridge' }
  return { network: { allow: first.filter((host) => others.every((list) => list.includes(host))) } }
}

/** Writes the directory of an item: its task, its initial files, and the unchanged task of Harbor. */
async function writeItem(
  directory: string,
  task: HarborTask,
  machine: TaskMachine,
  { container, signal }: Making,
): Promise<void> {
  await writeFiles(directory, { 'task.md': task.instruction })
  await kept(copyOf(task.directory, { to: join(directory, 'harbor'), ignore: ['/.git/'] }))
  const before = join(directory, 'before')
  const { image, workdir } = machine
  if (image !== undefined) await copyFromImage(container, { image, from: workdir, to: before }, signal)
  const isEmpty = (await stat(before).catch(() => undefined)) === undefined
  await writeFiles(directory, { 'item.json': jsonFile(itemOf(task, machine, isEmpty)) })
}

function itemOf(task: HarborTask, { workdir, image }: TaskMachine, isEmpty: boolean): object {
  const { file, digest } = task
  const { agentTimeoutMs, verifierTimeoutMs, network, verifierEnv, memoryBytes, cpus, keywords } = file
  return {
    timeoutMs: agentTimeoutMs,
    image,
    tags: [...new Set(keywords.map((keyword) => keyword.trim()).filter((keyword) => keyword !== ''))],
    judges: {
      verifier: {
        type: 'harbor-verifier',
        task: 'harbor',
        workdir: workdir === usualWorkdir ? undefined : workdir,
        timeoutMs: verifierTimeoutMs,
        env: Object.keys(verifierEnv).length === 0 ? undefined : verifierEnv,
        network: network.verifier || undefined,
        ...{ memoryBytes, cpus },
      },
    },
    metadata: {
      ...(isEmpty ? { workspace: 'none' } : {}),
      source: {
        format: 'harbor',
        name: file.name ?? task.id,
        schemaVersion: file.schemaVersion,
        ...(file.unknown.length === 0 ? {} : { unknown: file.unknown }),
        digest,
        task: file.document,
      },
    },
  }
}

type ContainerProgram = 'docker' | 'podman'

const run = promisify(execFile)
const maxOutput = 16 * 1024 * 1024
const usualBuildMs = 600_000
const usualAnswerMs = 30_000

/**
 * Returns a container program that works on this machine.
 *
 * @throws `usage-invalid` with the reasons if none exists
 */
async function containerProgram(signal: AbortSignal): Promise<ContainerProgram> {
  const problems: string[] = []
  for (const program of ['docker', 'podman'] as const)
    try {
      await caller(program, signal)(['info'], usualAnswerMs)
      return program
    } catch (thrown) {
      signal.throwIfAborted()
      problems.push(failureOf(thrown).message)
    }
  throw usageInvalid(
    '--container',
    `The verifiers of Harbor tasks run in containers: install docker or podman, and start it. ${problems.join('; ')}.`,
  )
}

/**
 * Returns the image of a task and the working directory of its programs. The image is the one that the task names,
 * downloaded if necessary, or one that is built from its Dockerfile.
 *
 * @throws an error with the reason if there is no image
 */
async function taskImage(
  program: ContainerProgram,
  { id, directory, file, digest }: HarborTask,
  signal: AbortSignal,
): Promise<{ readonly image: string; readonly workdir: string }> {
  const environment = join(directory, 'environment')
  for (const name of ['docker-compose.yaml', 'docker-compose.yml'])
    if ((await stat(join(environment, name)).catch(() => undefined)) !== undefined)
      throw new Error(`environment/${name} needs several containers, which is not supported`)
  const call = caller(program, signal)
  const image = file.image ?? `jurist-harbor/${tag(id)}:${digest.slice(0, 12)}`
  const isKnown = await call(['image', 'inspect', image]).then(
    () => true,
    () => false,
  )
  if (!isKnown && file.image !== undefined) await call(['pull', '--quiet', '--', image])
  else if (!isKnown) await call(['build', '--quiet', '--tag', image, environment], file.buildTimeoutMs ?? usualBuildMs)
  const workdir = await call(['image', 'inspect', '--format', '{{.Config.WorkingDir}}', image])
  return { image, workdir: workdir.trim() }
}

/**
 * Returns the place of the workspace in the containers of a task: its `workdir`, or the usual place and a note with the
 * reason.
 */
function workspacePlace(workdir: string, notes: string[]): string {
  if (isWorkdir(workdir)) return workdir
  if (workdir !== '' && workdir !== '/')
    notes.push(`the working directory ${workdir} cannot be a workspace; it is at ${usualWorkdir} instead`)
  return usualWorkdir
}

/** Whether a directory such as `/app` can be the workspace of a sandbox. */
function isWorkdir(place: string): boolean {
  return (
    /^(?:\/[\w.@-]+)+$/.test(place) &&
    !/\/\.{1,2}(?:\/|$)/.test(place) &&
    !/^\/(?:usr|bin|sbin|lib\w*|etc|proc|dev|sys|run|tests|logs|solution)(?:\/|$)/.test(place)
  )
}

/** Copies a directory from an image. A missing directory is ignored. */
async function copyFromImage(
  program: ContainerProgram,
  { image, from, to }: { readonly image: string; readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  const call = caller(program, signal)
  const id = (await call(['create', '--pull', 'never', '--network', 'none', image, 'true'])).trim()
  const raw = `${to}.image`
  try {
    await mkdir(raw, { recursive: true })
    const isCopied = await call(['cp', `${id}:${from}/.`, raw]).then(
      () => true,
      (thrown: unknown) => {
        if (/could not find|no such file|not exist/i.test(failureOf(thrown).message)) return false
        throw thrown
      },
    )
    if (!isCopied || (await readdir(raw)).length === 0) return
    // Links that lead out of the workspace make sense only in the image.
    await kept(copyOf(raw, { to, ignore: [], misfits: 'leave-out', signal }))
  } finally {
    await rm(raw, { recursive: true, force: true })
    await call(['rm', '--force', id]).catch(() => undefined)
  }
}

function caller(program: ContainerProgram, signal: AbortSignal) {
  return async function call(words: readonly string[], timeout = usualBuildMs): Promise<string> {
    try {
      const { stdout } = await run(program, [...words], { signal, timeout, maxBuffer: maxOutput })
      return stdout
    } catch (thrown) {
      signal.throwIfAborted()
      const { stderr } = thrown as { readonly stderr?: string }
      const last = stderr?.trim().split('\n').at(-1) ?? ''
      throw new Error(`${program} ${words[0]} failed: ${last === '' ? failureOf(thrown).message : last}`)
    }
  }
}

function tag(id: string): string {
  return (
    id
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'task'
  )
}
