import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checkOptions, option } from '@jurist/core/internal'
import { isInside } from '../containment.js'
import { type AllowList, allowListOf, type NetworkAllowList } from './egress/allow-list.js'
import { type Egress, openEgress, refuseOpenPlaces, withHosts } from './egress/egress.js'
import { findExecutable, limitingWords, noProgram, probeOf, unavailable } from './prerequisites.js'
import {
  inside,
  type Launch,
  mountsRule,
  networkRule,
  placeRule,
  type Sandbox,
  type SandboxChanges,
  type SandboxCommand,
  type SandboxMount,
} from './sandbox.js'

/** Options of `bubblewrapSandbox`. */
export interface BubblewrapOptions {
  /**
   * The network of the commands. `{ allow: ['api.example.com'] }` opens these hosts and nothing else. Default `'none'`:
   * not even the machine itself can be reached.
   */
  readonly network?: 'none' | 'host' | NetworkAllowList
  /** Absolute paths that can be read under the same paths, besides the system's programs. Default: none. */
  readonly readable?: readonly string[]
  /** Absolute paths that can be written under the same paths. Default: none. */
  readonly writable?: readonly string[]
  /** The path at which commands find the workspace. Default `'/workspace'`. */
  readonly workspaceAt?: string
  /** Directories of the machine that are mounted elsewhere. Default: none. */
  readonly mounts?: readonly SandboxMount[]
  /** The program. Default `'bwrap'`, looked up in `PATH`. */
  readonly bwrap?: string
}

const home = '/home/jurist'

/**
 * Creates a sandbox whose commands run in their own namespaces (Linux): they see the system's programs, a new home
 * directory and the workspace at `/workspace`, or at `workspaceAt`. Nothing they start survives. Programs outside
 * `/usr`, such as a `node` of a version manager, must be listed in `readable`.
 *
 * @example
 * import { bubblewrapSandbox, localWorkspace } from '@jurist/workspace'
 *
 * localWorkspace('project', { sandbox: bubblewrapSandbox({ readable: ['/opt/node'] }) })
 */
export function bubblewrapSandbox(options?: BubblewrapOptions): Sandbox {
  const given = checkOptions('bubblewrapSandbox', options, {
    network: networkRule,
    readable: option.strings,
    writable: option.strings,
    workspaceAt: placeRule,
    mounts: mountsRule,
    bwrap: option.string,
  })
  const list = typeof given.network === 'object' ? allowListOf('bubblewrapSandbox', given.network) : undefined
  const launch = async (command: SandboxCommand, isProbe = false): Promise<Launch> => {
    const bwrap = findExecutable(given.bwrap ?? 'bwrap', '/', process.env.PATH)
    if (bwrap === undefined) throw unavailable('bubblewrap', 'the program bwrap is not installed')
    const env = environmentInside(command.env)
    if (!isThere(command, env.PATH, given)) throw noProgram(command.file)
    const limits = limitingWords('bubblewrap', command.limits)
    const egress = list && (await opened(list, given, { ...command, env }, isProbe))
    const words = [...limits, bwrap, ...sandboxWords(given, command, egress), ...['--args', '3']]
    const [program, ...args] = [...words, '--', ...(egress?.words ?? [command.file, ...command.args])]
    // The forwarder gets the variables of the command in another way: they must not change how it runs.
    const descriptor3 = variables(egress === undefined ? env : {})
      .map((word) => `${word}\0`)
      .join('')
    const stop = async () => egress?.close()
    return { file: program ?? bwrap, args, cwd: command.root, env: {}, descriptor3, stop }
  }
  return Object.freeze<Sandbox>({
    name: 'bubblewrap',
    isolation: 'namespace',
    ...(list === undefined ? {} : { network: list }),
    probe: probeOf('bubblewrap', launch),
    with: (changes) => bubblewrapSandbox(changed(given, changes)),
    launch,
  })
}

function opened(
  list: AllowList,
  { readable = [], writable = [], mounts = [] }: BubblewrapOptions,
  command: SandboxCommand,
  isProbe: boolean,
): Promise<Egress> {
  refuseOpenPlaces('bubblewrap', [command.root, ...readable, ...writable, ...mounts.map(({ from }) => from)])
  return openEgress('bubblewrap', list, command, { isProbe })
}

function changed(given: BubblewrapOptions, changes: SandboxChanges): BubblewrapOptions {
  const { workspaceAt, mounts = [], network = given.network, allowHosts } = changes
  return {
    ...given,
    ...(workspaceAt === undefined ? {} : { workspaceAt }),
    ...withHosts('bubblewrap', network, allowHosts),
    mounts: [...(given.mounts ?? []), ...mounts],
  }
}

function environmentInside(env: SandboxCommand['env']): SandboxCommand['env'] {
  // The host's directory for temporary files does not exist inside.
  const { TMPDIR: _host, ...rest } = env
  return { ...rest, HOME: home }
}

/** Every user of the machine can read the arguments of a process, so the variables are passed in another way. */
function variables(env: SandboxCommand['env']): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
}

function sandboxWords(options: BubblewrapOptions, command: SandboxCommand, egress: Egress | undefined) {
  const { network = 'none', readable = [], writable = [], workspaceAt = inside, mounts = [] } = options
  const reachable = ['/etc/resolv.conf', '/etc/nsswitch.conf'].flatMap((file) => bind('--ro-bind-try', file))
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/lib', '/lib64', '/sbin'].flatMap(systemDirectory),
    // Without the hosts file, `localhost` has no address, which test servers such as Vitest's need.
    ...['/etc/alternatives', '/etc/ssl', '/etc/hosts', ...javaSettings()].flatMap((path) =>
      bind('--ro-bind-try', path),
    ),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run', '--tmpfs', home],
    ...(egress?.mounts ?? []).flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...(network === 'host' ? ['--share-net', ...reachable] : []),
    ...readable.flatMap((path) => bind('--ro-bind', path)),
    ...writable.flatMap((path) => bind('--bind', path)),
    ...['--bind', command.root, workspaceAt],
    ...mounts.flatMap(({ from, to, writable: mayWrite }) => [mayWrite === true ? '--bind' : '--ro-bind', from, to]),
    ...['--chdir', join(workspaceAt, command.cwd)],
  ]
}

const bind = (flag: string, path: string): readonly string[] => [flag, path, path]

/** A directory of the system, or the link into `/usr` that many systems have. */
function systemDirectory(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : bind('--ro-bind', path)
}

function javaSettings(): readonly string[] {
  return readdirSync('/etc')
    .filter((name) => name.startsWith('java-'))
    .map((name) => `/etc/${name}`)
}

/** Whether the program exists inside; bwrap itself cannot distinguish a missing program from one that fails. */
function isThere({ file, root, cwd }: SandboxCommand, path: string | undefined, options: BubblewrapOptions): boolean {
  const visible = ['/usr', '/bin', '/lib', '/lib64', '/sbin', ...(options.readable ?? []), ...(options.writable ?? [])]
  const { workspaceAt = inside, mounts = [] } = options
  const moved = [...mounts, { from: root, to: workspaceAt }]
  const places = [...moved.map(({ to }) => to), ...visible]
  const onHost = (name: string) => {
    const mount = moved.find(({ to }) => isInside(to, name))
    return mount === undefined ? name : join(mount.from, name.slice(mount.to.length))
  }
  if (file.includes('/')) {
    if (file.startsWith('/') && !places.some((directory) => isInside(directory, file))) return false
    return findExecutable(onHost(file), join(root, cwd), undefined) !== undefined
  }
  const directories = (path ?? '/usr/bin:/bin')
    .split(':')
    .map((directory) => (directory.startsWith('/') ? directory : join(workspaceAt, cwd, directory)))
    .filter((directory) => places.some((shown) => isInside(shown, directory)))
  return findExecutable(file, root, directories.map(onHost).join(':') || '/nonexistent') !== undefined
}
