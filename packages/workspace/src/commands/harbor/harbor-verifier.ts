import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Check,
  error,
  fail,
  type Judge,
  type Judgment,
  JuristError,
  numerical,
  pass,
  type Workspace,
  withInfo,
} from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  failureOf,
  isPlainObject,
  type OptionDescriptions,
  option,
  optionInvalid,
  printed,
} from '@jurist/core/internal'
import { locate } from '../../containment.js'
import { copyOf, emptyDirectory } from '../../copy.js'
import { readFileBytes, strictText } from '../../file-content.js'
import { localWorkspace } from '../../local-workspace.js'
import type { ProvisionedWorkspace } from '../../provision.js'
import { allowListRule, type NetworkAllowList } from '../../sandbox/egress/allow-list.js'
import { unavailable } from '../../sandbox/prerequisites.js'
import { placeRule, type Sandbox, type SandboxMount } from '../../sandbox/sandbox.js'
import { deleteTree, temporaryDirectory } from '../../temporary-directory.js'
import { directoryOf, type LocalWorkspaceOptions, settingsOf } from '../../workspace-settings.js'
import { type CommandEvidence, evidenceOf } from '../command-evidence.js'
import { variablesOption } from '../command-succeeds.js'

/** The working directory of tasks that do not state one. */
export const usualWorkdir = '/app'

interface Placing {
  /** The directory of the task. */
  readonly task: string
  /** The directory of the task that contains the script, and its path in the sandbox. */
  readonly scripts: { readonly from: 'tests' | 'solution'; readonly at: string }
  readonly workdir: string
  readonly network: boolean | NetworkAllowList
  readonly memoryBytes?: number | undefined
  readonly cpus?: number | undefined
}

/** A copy of a workspace at its place in a sandbox, with the scripts and empty logs. */
interface Placed extends AsyncDisposable {
  readonly copy: ProvisionedWorkspace
  /** The directory of the machine that is mounted at `/logs`. */
  readonly logs: string
}

/**
 * Creates the files that a script of a task finds: the workspace, its own directory, and `/logs`, which is new and
 * empty whatever the agent left. All are copies, which are deleted afterwards.
 *
 * @throws `sandbox-unavailable` without a container
 */
async function placed(
  workspace: Workspace,
  placing: Placing,
  settings: LocalWorkspaceOptions,
  signal: AbortSignal,
): Promise<Placed> {
  const own = temporaryDirectory()
  try {
    const [scripts, logs] = [join(own, 'scripts'), join(own, 'logs')]
    for (const name of ['verifier', 'agent', 'artifacts']) openDirectory(join(logs, name))
    const made = await copyOf(join(placing.task, placing.scripts.from), { to: scripts, signal })
    made.keep()
    await made[Symbol.asyncDispose]()
    const mounts = [
      { from: scripts, to: placing.scripts.at, writable: true },
      { from: logs, to: '/logs', writable: true },
    ]
    const { memoryBytes } = placing
    const limits = memoryBytes === undefined ? settings.limits : { memoryBytes, ...settings.limits }
    const options = { ...settings, sandbox: containerFor(settings, placing, mounts), limits: limits ?? {}, signal }
    const root = directoryOf(workspace)
    const copy =
      root === undefined
        ? await emptyDirectory(options)
        : await copyOf(root, { ...options, ignore: [], misfits: 'leave-out' })
    const dispose = async () => {
      await copy[Symbol.asyncDispose]()
      await deleteTree(own)
    }
    return { copy, logs, [Symbol.asyncDispose]: dispose }
  } catch (thrown) {
    await deleteTree(own)
    throw thrown
  }
}

/** Returns how the workspace of an agent runs its commands. */
function knownSettings(workspace: Workspace): LocalWorkspaceOptions {
  const settings = settingsOf(workspace)
  if (settings !== undefined) return settings
  throw unavailable('harbor', 'the workspace does not show the sandbox of a local workspace; judge a local one')
}

function taskDirectory(task: Workspace): string {
  const directory = directoryOf(task)
  if (directory !== undefined) return directory
  throw new JuristError('not-found', 'The task has no directory. Name one that holds task.toml.', { path: 'task' })
}

/** Makes a directory writable for the user of an image. */
function openDirectory(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o777)
}

/** The container in which a workspace runs its commands, with the mounts of a task. */
function containerFor(
  { sandbox }: LocalWorkspaceOptions,
  { workdir, network, cpus }: Placing,
  mounts: readonly SandboxMount[],
): Sandbox {
  if (typeof sandbox !== 'object' || sandbox.isolation !== 'container')
    throw unavailable(
      'harbor',
      'the scripts of a Harbor task run in containers. Install docker or podman, and import the tasks again, or give the experiment a docker sandbox',
    )
  const changed = sandbox.with?.({
    workspaceAt: workdir,
    mounts,
    network: network === true ? 'host' : network === false ? 'none' : network,
    ...(cpus === undefined ? {} : { cpus }),
  })
  if (changed === undefined) throw unavailable(sandbox.name, 'it cannot show directories at places of their own')
  return changed
}

/** Options of `harborVerifier`. */
export interface HarborOptions {
  /** The directory of the task, which contains `tests/test.sh`. */
  readonly task: Workspace
  /** The path at which the verifier finds the workspace. Default `'/app'`. */
  readonly workdir?: string
  /** The time limit, in milliseconds. Default 600,000. */
  readonly timeoutMs?: number
  /** The lowest reward that passes. Default 1. */
  readonly threshold?: number
  /** The name of the only reward that decides. Default: every reward must pass. */
  readonly reward?: string
  /** Additional environment variables. Default: none. */
  readonly env?: { readonly [name: string]: string }
  /** Whether the verifier has access to a network, or the hosts that it may reach. Default `false`. */
  readonly network?: boolean | NetworkAllowList
  /** The memory limit of the verifier, in bytes. Default: no further limit. */
  readonly memoryBytes?: number
  /** How many processors the verifier may use. Default: no further limit. */
  readonly cpus?: number
}

const rules: OptionDescriptions<Omit<HarborOptions, 'task'>> = {
  workdir: described(
    { ...placeRule, schema: { type: 'string' } },
    'Where the verifier finds the workspace.',
    usualWorkdir,
  ),
  timeoutMs: described(option.positive, 'Milliseconds.', 600_000),
  threshold: described(
    { wants: 'a number', holds: Number.isFinite, schema: { type: 'number' } },
    'The lowest reward that passes.',
    1,
  ),
  reward: described(option.string, 'The name of the reward that decides alone. Default: each must pass.'),
  env: variablesOption,
  network: described(
    option.either(option.boolean, allowListRule),
    'Whether the verifier reaches a network, or the hosts that it may reach.',
    false,
  ),
  memoryBytes: described(option.integer(1), 'The memory limit of the verifier, in bytes.'),
  cpus: described(option.positive, 'The maximum number of processors of the verifier.'),
}

/**
 * Runs the verifier of a Harbor task after the agent: `tests/test.sh`, with the workspace at `/app`, the tests at
 * `/tests` and new, empty `/logs`. Each reward in `/logs/verifier/reward.json` or `reward.txt` becomes a check, and the
 * score is the reward. The exit code decides nothing; without a reward, the judgment is an ERROR. The verifier runs in
 * a container, so the workspace must have a docker sandbox.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { localWorkspace } from '@jurist/workspace'
 * import { harborVerifier } from '@jurist/workspace/commands'
 *
 * harborVerifier({ task: localWorkspace('tasks/hello') })
 */
export function harborVerifier(options: HarborOptions): Judge {
  const name = 'harborVerifier'
  const given: HarborOptions = checkOptions<HarborOptions>(name, options, {
    ...rules,
    task: {
      wants: 'a workspace',
      holds: (value) => typeof value === 'object' && value !== null && 'readBytes' in value,
    },
  })
  if (given.task === undefined)
    optionInvalid('task', `${name}: name the "task", the directory that holds tests/test.sh.`)
  if (/^\/(?:tests|logs|solution)(?:\/|$)/.test(given.workdir ?? usualWorkdir))
    optionInvalid('workdir', `${name}: the "workdir" ${given.workdir} is a place of the verifier's own.`)
  const judge: Judge = ({ workspace, signal }) => verify(given, workspace, signal)
  const { task: _task, timeoutMs: _limit, ...rest } = given
  // This judge is not marked as running commands of the workspace: they run in a copy, and never outside a sandbox.
  return withInfo(judge, { name, options: rest })
}

async function verify(given: HarborOptions, workspace: Workspace, signal: AbortSignal): Promise<Judgment> {
  const { workdir = usualWorkdir, timeoutMs = 600_000, env = {} } = given
  const scripts = { from: 'tests', at: '/tests' } as const
  const { network = false, memoryBytes, cpus } = given
  const placing = { task: taskDirectory(given.task), scripts, workdir, network, memoryBytes, cpus }
  // An empty workspace has no directory and no sandbox before something runs in it.
  if (workspace.root === undefined) await workspace.run(['true'], { signal })
  await using scene = await placed(workspace, placing, knownSettings(workspace), signal)
  const command = scriptCommand('/tests/test.sh', [workdir, '/tests', '/logs'])
  const result = await scene.copy.run(command, { timeoutMs, env, signal })
  const wanted = { workspace: scene.copy, command: 'bash /tests/test.sh', exitCode: 0, timeoutMs }
  const evidence = evidenceOf(result, wanted, signal)
  if ('status' in evidence) return evidence
  if (evidence.result.status === 'timed-out') return unrewarded(evidence, timedOut(timeoutMs))
  try {
    return judged(readRewards(scene.logs), given, evidence)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'reward-missing') && !JuristError.is(thrown, 'reward-invalid')) throw thrown
    return unrewarded(evidence, thrown)
  }
}

/**
 * The command for a script. Afterwards, files that the user of the image wrote are given to the user of this process,
 * who could not delete them otherwise.
 */
function scriptCommand(script: string, written: readonly string[]): readonly string[] {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const made = `chmod +x ${script}; ${script}`
  if (user === 0) return ['bash', '-c', made]
  return ['bash', '-c', `${made}; code=$?; chown -R ${user}:${group} ${written.join(' ')} 2>/dev/null; exit $code`]
}

function timedOut(timeoutMs: number): JuristError<'reward-missing'> {
  return new JuristError('reward-missing', `tests/test.sh timed out after ${timeoutMs} ms, so there is no reward.`, {
    path: '/logs/verifier',
  })
}

function unrewarded({ metadata }: CommandEvidence, cause: JuristError): Judgment {
  return error(cause.message, cause, { metadata })
}

/** Creates one check for each reward. The score is the reward, or the mean of several without one of that name. */
function judged(rewards: Rewards, { threshold = 1, reward }: HarborOptions, { metadata }: CommandEvidence): Judgment {
  const deciding = reward === undefined ? [...rewards] : [...rewards].filter(([name]) => name === reward)
  if (deciding.length === 0)
    throw new JuristError(
      'reward-missing',
      `The verifier wrote no reward "${reward}", but ${[...rewards.keys()].join(', ')}.`,
      {
        path: '/logs/verifier',
      },
    )
  const checks = deciding.map(([name, value]): Check => {
    return { name, passed: value >= threshold, message: `${name} is ${value}, ${threshold} is needed` }
  })
  const values = deciding.map(([, value]) => value)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const value = new Map(deciding).get('reward') ?? mean
  const score = numerical(value, { min: Math.min(0, value), max: Math.max(1, value) })
  const extras = { score, checks, metadata: { ...metadata, rewards: Object.fromEntries(rewards) } }
  const failed = checks.filter(({ passed }) => !passed)
  if (failed.length > 0) return fail(failed.map(({ message }) => message).join('; '), extras)
  return pass(checks.map(({ name, message }) => message ?? name).join('; '), extras)
}

interface DescribedVerifier extends Omit<HarborOptions, 'task'> {
  readonly task: string
}

describeJudge<DescribedVerifier>(harborVerifier, {
  passes: 'the verifier of a Harbor task gives the full reward',
  options: { task: described(option.string, 'The directory of the task, which holds `tests/test.sh`.'), ...rules },
  required: ['task'],
  make: async ({ task, ...options }, config) => harborVerifier({ ...options, task: await config.workspace(task) }),
})

export interface Solving extends Omit<Placing, 'scripts'> {
  /** The initial state of an agent. */
  readonly before: string
  /** The directory to create from the workspace after the solution. */
  readonly to: string
  readonly sandbox: Sandbox
  readonly env: { readonly [name: string]: string }
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Runs `solution/solve.sh` as the reference agent. Returns why it failed, or `undefined` if it succeeded. */
export async function solveTask(solving: Solving): Promise<string | undefined> {
  const { before, to, sandbox, env, timeoutMs, signal, workdir } = solving
  const placing = { ...solving, scripts: { from: 'solution', at: '/solution' } } as const
  const settings: LocalWorkspaceOptions = { sandbox }
  await using workspace = localWorkspace(before, settings)
  await using scene = await placed(workspace, placing, settings, signal)
  const command = scriptCommand('/solution/solve.sh', [workdir, '/solution', '/logs'])
  const { status, exitCode, stderr, stdout, failure } = await scene.copy.run(command, { timeoutMs, env, signal })
  signal.throwIfAborted()
  if (status !== 'exited' || exitCode !== 0) {
    const said = `${stdout}\n${stderr}`.trim().split('\n').at(-1)?.trim() ?? ''
    return (
      failure?.message ?? `${status === 'exited' ? `exit code ${exitCode}` : status}${said === '' ? '' : `: ${said}`}`
    )
  }
  cpSync(scene.copy.root, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return undefined
}

type Rewards = ReadonlyMap<string, number>

const maxBytes = 64 * 1024
const mostRewards = 100
const longestName = 100

/** The files of rewards below `/logs`. The first one that exists counts. */
const files = ['verifier/reward.json', 'verifier/reward.txt'] as const

/**
 * Reads the rewards below the directory of `/logs`. Nothing outside it is read, wherever links lead.
 *
 * @throws `reward-missing` without a file, `reward-invalid` for a file that contains no rewards
 */
function readRewards(logs: string): Rewards {
  const path = files.find((file) => isThere(logs, file))
  if (path === undefined)
    throw new JuristError(
      'reward-missing',
      'tests/test.sh wrote neither /logs/verifier/reward.json nor /logs/verifier/reward.txt. Its output says why.',
      { path: '/logs/verifier' },
    )
  const text = textOf(logs, path)
  const rewards = path.endsWith('.json') ? fromJson(text, path) : new Map([['reward', numberOf(text.trim(), path)]])
  if (rewards.size === 0) throw invalid(path, 'it holds no reward')
  return rewards
}

function isThere(logs: string, path: string): boolean {
  try {
    return locate(logs, path).exists
  } catch (thrown) {
    throw invalid(path, failureOf(thrown).message)
  }
}

function textOf(logs: string, path: string): string {
  try {
    return strictText(readFileBytes(logs, path, maxBytes), path)
  } catch (thrown) {
    throw invalid(path, failureOf(thrown).message)
  }
}

function fromJson(text: string, path: string): Rewards {
  const value = parsed(text, path)
  if (typeof value === 'number') return new Map([['reward', finite(value, path)]])
  if (!isPlainObject(value)) throw invalid(path, `it must hold an object of numbers (got ${printed(value)})`)
  const entries = Object.entries(value)
  if (entries.length > mostRewards)
    throw invalid(path, `it holds ${entries.length} rewards; ${mostRewards} are allowed`)
  return new Map(entries.map(([name, reward]) => [checkedName(name, path), finite(reward, path)]))
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw invalid(path, failureOf(thrown).message)
  }
}

function checkedName(name: string, path: string): string {
  if (/^[\x20-\x7e\u00a0-\uffff]{1,100}$/.test(name) && name.trim() !== '' && name.length <= longestName) return name
  throw invalid(path, `${printed(name)} is no name of a reward`)
}

function numberOf(text: string, path: string): number {
  if (text !== '' && Number.isFinite(Number(text))) return Number(text)
  throw invalid(path, `it must hold a number (got ${printed(text)})`)
}

function finite(value: unknown, path: string): number {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid(path, `a reward must be a number (got ${printed(value)})`)
}

function invalid(path: string, reason: string): JuristError<'reward-invalid'> {
  return new JuristError('reward-invalid', `/logs/${path} cannot be used: ${reason.replace(/\.$/, '')}.`, {
    path: `/logs/${path}`,
    reason,
  })
}
