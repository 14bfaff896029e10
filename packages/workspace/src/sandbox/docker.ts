import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkOptions, failureOf, option, optionInvalid } from '@jurist/core/internal'
import { withoutUserInfo } from '../git.js'
import { type AllowList, allowListOf, allowListRule, type NetworkAllowList } from './egress/allow-list.js'
import { type Egress, openEgress, refuseOpenPlaces, withHosts } from './egress/egress.js'
import { probeOf, unavailable } from './prerequisites.js'
import {
  type CommandLimits,
  inside,
  type Launch,
  mountsRule,
  placeRule,
  type Sandbox,
  type SandboxChanges,
  type SandboxCommand,
  type SandboxMount,
} from './sandbox.js'

/** Options of `dockerSandbox`. */
export interface DockerOptions {
  readonly image: string
  /** The program. Default `'docker'`; `'podman'` works too. */
  readonly cli?: string
  /**
   * The network of the containers: the name of one, or `{ allow: ['api.example.com'] }` for these hosts and nothing else.
   * Default `'none'`.
   */
  readonly network?: string | NetworkAllowList
  readonly memoryBytes?: number
  readonly cpus?: number
  /** The largest number of processes. Default 512. */
  readonly pids?: number
  /** The user of the commands. Default: the user and group of this process, as `'<uid>:<gid>'`. */
  readonly user?: string
  /** Absolute paths that can be read under the same paths. Default: none. */
  readonly readable?: readonly string[]
  /** Absolute paths that can be written under the same paths. Default: none. */
  readonly writable?: readonly string[]
  /** The path at which commands find the workspace. Default `'/workspace'`. */
  readonly workspaceAt?: string
  /** Directories of the machine that are mounted elsewhere. Default: none. */
  readonly mounts?: readonly SandboxMount[]
  /**
   * Whether commands run as the user of the image, mostly root, with the usual capabilities and write access to the
   * whole container. Default `false`: as the user of this process, without capabilities, on a read-only root file
   * system.
   */
  readonly asImage?: boolean
  /** Whether a missing image may be downloaded. Default `false`. */
  readonly pull?: boolean
}

const run = promisify(execFile)
const hostPlaces: readonly string[] = ['PATH', 'HOME', 'TMPDIR', 'JAVA_HOME']
const proxies: readonly string[] = ['http', 'https', 'ftp', 'all', 'no'].flatMap((scheme) => {
  const name = `${scheme}_proxy`
  return [name, name.toUpperCase()]
})
const stateFormat = '{{.State.ExitCode}} {{.State.StartedAt}}'
/**
 * Requests the container's exit code: the exit code of the program may be the daemon's own. A container that was never
 * started has the exit code 0, so a start in the year 1 is a failure.
 */
const attach =
  '"$0" start --attach --interactive "$1"; ' +
  `state=$("$0" inspect --format "${stateFormat}" "$1") || exit 125; ` +
  'set -- $state; case "$2" in 0001-*) exit 125;; esac; exit "$1"'

/**
 * Creates a sandbox whose commands each run in a new container of `image`, with the workspace at `/workspace`, or at
 * `workspaceAt`.
 *
 * @example
 * import { dockerSandbox, localWorkspace } from '@jurist/workspace'
 *
 * localWorkspace('project', { sandbox: dockerSandbox({ image: 'node:24-slim' }) })
 */
export function dockerSandbox(options: DockerOptions): Sandbox {
  const given: DockerOptions = checkOptions('dockerSandbox', options, {
    image: option.string,
    cli: option.string,
    network: option.either(option.string, allowListRule),
    memoryBytes: option.integer(1),
    cpus: option.positive,
    pids: option.integer(1),
    user: option.string,
    readable: option.strings,
    writable: option.strings,
    workspaceAt: placeRule,
    mounts: mountsRule,
    asImage: option.boolean,
    pull: option.boolean,
  })
  if (given.image === undefined || given.image.trim() === '') optionInvalid('image', 'dockerSandbox: name an "image".')
  const { cli = 'docker', network } = given
  const list = typeof network === 'object' ? allowListOf('dockerSandbox', network) : undefined
  const launch = async (command: SandboxCommand, isProbe = false): Promise<Launch> => {
    // The variables with which the program finds its daemon, and the values that are passed by name.
    const env = { ...definedVariables(process.env), ...command.env }
    const egress = list && (await opened(list, given, command, isProbe))
    const created = await run(cli, createWords(given, command, egress), { env }).catch(async (thrown: unknown) => {
      await egress?.close()
      const { stderr, message } = thrown as { readonly stderr?: string; readonly message: string }
      throw unavailable('docker', `no container could be made (${stderr?.trim() || message})`, thrown)
    })
    const id = created.stdout.trim()
    const whyNotStarted = async (exitCode: number, stderr: string) =>
      exitCode === 125 && !(await hasBegun(cli, id, env))
        ? `The container could not be started: ${stderr.trim().split('\n').at(-1)?.trim() || 'it does not say why'}`
        : undefined
    const stop = async () => {
      // Its proxy ends even if the container does not.
      await using _ = { [Symbol.asyncDispose]: async () => egress?.close() }
      await run(cli, ['rm', '--force', id], { env }).catch((thrown: unknown) => {
        if (!/no such container|no container with/i.test(failureOf(thrown).message)) throw thrown
      })
    }
    return { file: 'sh', args: ['-c', attach, cli, id], cwd: command.root, env, whyNotStarted, stop }
  }
  const withImage = (image: string) => dockerSandbox({ ...given, image })
  const probe = probeOf('docker', launch)
  const changing = (changes: SandboxChanges) => dockerSandbox(changed(given, changes))
  return Object.freeze<Sandbox>({
    name: 'docker',
    isolation: 'container',
    ...(list === undefined ? {} : { network: list }),
    probe,
    withImage,
    with: changing,
    launch,
  })
}

function changed(given: DockerOptions, changes: SandboxChanges): DockerOptions {
  const { workspaceAt, mounts = [], network, cpus, allowHosts } = changes
  const open = typeof given.network !== 'string' || given.network === 'none' ? 'bridge' : given.network
  return {
    ...given,
    ...(workspaceAt === undefined ? {} : { workspaceAt }),
    ...withHosts('docker', network === 'host' ? open : (network ?? given.network), allowHosts),
    ...(cpus === undefined ? {} : { cpus: least(given.cpus, cpus) ?? cpus }),
    mounts: [...(given.mounts ?? []), ...mounts],
  }
}

/** The daemon of another machine has neither the sockets nor the Node of this one. */
function opened(list: AllowList, options: DockerOptions, command: SandboxCommand, isProbe: boolean): Promise<Egress> {
  const { readable = [], writable = [], mounts = [] } = options
  const daemon = process.env['DOCKER_HOST'] ?? process.env['CONTAINER_HOST'] ?? ''
  if (/^(?!unix:)[a-z]+:/.test(daemon))
    throw unavailable(
      'docker',
      `its daemon is on another machine (${withoutUserInfo(daemon)}), and allow-lists of hosts need one on this machine; unset DOCKER_HOST, or use bubblewrap`,
    )
  refuseOpenPlaces('docker', [command.root, ...readable, ...writable, ...mounts.map(({ from }) => from)])
  const env = Object.fromEntries(Object.entries(command.env).filter(([name]) => !isOfHost(name, command.env)))
  return openEgress('docker', list, { ...command, env }, { isContainer: true, isProbe })
}

/** The programs and the home directory of the host mean nothing in an image, unless they were set for it. */
function isOfHost(name: string, env: SandboxCommand['env']): boolean {
  return hostPlaces.includes(name) && env[name] === process.env[name]
}

/** Whether a container ever ran. The program of one that did may have any exit code. */
async function hasBegun(cli: string, id: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const inspect = ['inspect', '--format', stateFormat, id]
  const { stdout } = await run(cli, inspect, { env }).catch(() => ({ stdout: '' }))
  const [, startedAt = ''] = stdout.trim().split(' ')
  return startedAt !== '' && !startedAt.startsWith('0001-')
}

function createWords(
  options: DockerOptions,
  { file, args, root, cwd, env, limits }: SandboxCommand,
  egress: Egress | undefined,
): readonly string[] {
  const memoryBytes = least(options.memoryBytes, limits.memoryBytes)
  const { asImage = false, workspaceAt = inside } = options
  const own = `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`
  const user = options.user ?? (asImage ? undefined : own)
  // The forwarder passes the variables on: they must not change how it runs itself.
  const names = egress === undefined ? Object.keys(env).filter((name) => !isOfHost(name, env)) : []
  return [
    ...['create', '--interactive', '--init', '--security-opt', 'no-new-privileges'],
    ...(asImage ? [] : ['--cap-drop', 'ALL', '--read-only', '--tmpfs', '/tmp:exec']),
    ...['--pids-limit', String(least(options.pids ?? 512, limits.processes))],
    ...[
      '--network',
      typeof options.network === 'string' ? options.network : 'none',
      '--pull',
      options.pull === true ? 'missing' : 'never',
    ],
    ...(user === undefined ? [] : ['--user', user]),
    ...(memoryBytes === undefined ? [] : ['--memory', String(memoryBytes)]),
    ...(options.cpus === undefined ? [] : ['--cpus', String(options.cpus)]),
    ...ulimits(limits).flatMap((limit) => ['--ulimit', limit]),
    ...names.flatMap((name) => ['--env', name]),
    ...(asImage || names.includes('HOME') ? [] : ['--env', 'HOME=/tmp']),
    // Podman copies the proxies of this process into the container, docker those of its settings: with passwords.
    ...proxies.filter((name) => !names.includes(name)).flatMap((name) => ['--env', `${name}=`]),
    ...['--workdir', join(workspaceAt, cwd), '--volume', `${root}:${workspaceAt}`],
    ...(options.mounts ?? []).flatMap(({ from, to, writable: mayWrite }) => [
      '--volume',
      `${from}:${to}${mayWrite === true ? '' : ':ro'}`,
    ]),
    ...(options.readable ?? []).flatMap((path) => ['--volume', `${path}:${path}:ro`]),
    ...(options.writable ?? []).flatMap((path) => ['--volume', `${path}:${path}`]),
    ...(egress?.mounts ?? []).flatMap(({ from, to }) => ['--volume', `${from}:${to}:ro`]),
    ...[options.image, ...(egress?.words ?? [file, ...args])],
  ]
}

/** Podman does not allow a container more than the usual `pid_max`. `--pids-limit` limits what may run. */
const mostProcesses = 32_768

function ulimits({ cpuSeconds, fileBytes }: CommandLimits): readonly string[] {
  const asked = [
    ...(cpuSeconds === undefined ? [] : [`cpu=${Math.ceil(cpuSeconds)}`]),
    ...(fileBytes === undefined ? [] : [`fsize=${fileBytes}`]),
  ]
  return asked.length === 0 ? [] : [...asked, ...ownLimits()]
}

/**
 * The limits of this process (Linux). Once any limit is an argument, podman ignores those of its settings and raises
 * the others as far as possible, which not every host allows.
 */
function ownLimits(): readonly string[] {
  const place = '/proc/self/limits'
  const text = existsSync(place) ? readFileSync(place, 'utf8') : ''
  const limit = (name: string, row: RegExp, most: number) => {
    const [, soft] = row.exec(text) ?? []
    if (soft === undefined) return []
    const value = Math.min(Number(soft), most)
    return [`${name}=${value}:${value}`]
  }
  return [
    ...limit('nofile', /^Max open files +(\d+)/m, Number.POSITIVE_INFINITY),
    ...limit('nproc', /^Max processes +(\d+)/m, mostProcesses),
  ]
}

function least(...values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined)
  return given.length === 0 ? undefined : Math.min(...given)
}

function definedVariables(env: NodeJS.ProcessEnv): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
