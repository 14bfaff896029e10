import { execFile } from 'node:child_process'
import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { isPlainObject } from '@jurist/core/internal'
import { duration } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { abandonedProcesses } from '@jurist/kit/processes'
import { longestTimerMs, withTimeout } from '@jurist/kit/timers'
import { type BubblewrapOptions, bubblewrapSandbox } from '@jurist/workspace'
import { withGit } from '@jurist/workspace/internal'
import { bytesText } from '../../terminal/cells.js'

export interface Finding {
  /** The subject of the check, such as `git`. */
  readonly what: string
  /** `missing`: the config cannot run without it. `warning`: something may not work as well without it. */
  readonly state: 'ok' | 'warning' | 'missing'
  readonly detail: string
  /** The action to take; absent if none is necessary. */
  readonly remedy?: string
}

/** A check with the name of its subject. `programMs` limits each program that it starts. */
export interface Check {
  readonly what: string
  readonly look: (programMs: number) => Promise<readonly Finding[]>
}

/** Runs checks concurrently. A check that takes longer than `patienceMs` is a warning; one that throws is missing. */
export async function findingsOf(checks: readonly Check[], patienceMs: number): Promise<readonly Finding[]> {
  const found = await Promise.all(checks.map((check) => withinTime(check, patienceMs)))
  return found.flat()
}

async function withinTime({ what, look }: Check, patienceMs: number): Promise<readonly Finding[]> {
  const late: Finding = { what, state: 'warning', detail: `did not answer within ${duration(patienceMs)}` }
  // A check starts up to two programs, one after the other.
  const programMs = Math.ceil(Math.min(patienceMs / 2, longestTimerMs))
  try {
    return await withTimeout(look(programMs), patienceMs, () => [late])
  } catch (thrown) {
    return [{ what, state: 'missing', detail: thrown instanceof Error ? thrown.message : String(thrown) }]
  }
}

const execute = promisify(execFile)
/** The sandboxes in a config, such as `bubblewrap` or `docker:node:24`. */
type SandboxWords = readonly string[]

const leastNode = [20, 19] as const

/** Processes of runs that were killed. */
export const processCheck: Check = {
  what: 'processes',
  async look() {
    const ids = abandonedProcesses().map(({ id }) => id)
    if (ids.length === 0) return [{ what: 'processes', state: 'ok', detail: 'none is left of runs that have ended' }]
    const detail = `left of runs that have ended: ${ids.slice(0, mostIds).join(', ')}${ids.length > mostIds ? ', …' : ''}`
    return [
      { what: 'processes', state: 'warning', detail, remedy: `End them: kill -9 ${ids.slice(0, mostIds).join(' ')}` },
    ]
  },
}
const mostIds = 20

export const nodeCheck: Check = {
  what: 'Node',
  async look() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    const isNew = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
    if (isNew) return [{ what: 'Node', state: 'ok', detail: process.versions.node }]
    const detail = `${process.versions.node}, and Jurist needs ${leastNode.join('.')} or newer`
    return [{ what: 'Node', state: 'missing', detail, remedy: 'Install a newer Node: https://nodejs.org' }]
  },
}

/** Experiments with repositories and the recorded commit need git. */
export const gitCheck: Check = {
  what: 'git',
  async look(programMs) {
    const asked = withGit({ cwd: tmpdir(), timeoutMs: programMs }, (git) => git(['--version']))
    const version = await asked.catch(() => undefined)
    if (version !== undefined) return [{ what: 'git', state: 'ok', detail: version.replace(/^git version /, '') }]
    const detail = 'not found: no commit is recorded, and jurist import git does not work'
    return [{ what: 'git', state: 'warning', detail, remedy: 'Install git.' }]
  },
}

/** Tries bubblewrap by running a program in it, and docker and podman by asking their servers. */
export function sandboxChecks(named: SandboxWords): readonly Check[] {
  const isNamed = (cli: string) => named.some((word) => word === cli || word.startsWith(`${cli}:`))
  const state = (cli: string): Finding['state'] => (isNamed(cli) ? 'missing' : 'warning')
  return [
    {
      what: 'bubblewrap',
      async look(programMs) {
        const problem = await bubblewrapProblem(programMs)
        if (problem === undefined)
          return [{ what: 'bubblewrap', state: 'ok', detail: 'isolates commands' }, await egressFinding(programMs)]
        const remedy = 'Install it (apt-get install bubblewrap) and allow user namespaces, or use docker:<image>.'
        return [{ what: 'bubblewrap', state: state('bubblewrap'), detail: problem, remedy }]
      },
    },
    ...['docker', 'podman'].map((cli) => ({
      what: cli,
      async look(programMs: number): Promise<readonly Finding[]> {
        const format = cli === 'docker' ? '{{.ServerVersion}}' : '{{.Version.Version}}'
        const version = await said(cli, ['info', '--format', format], programMs)
        if (version) return [{ what: cli, state: 'ok', detail: version }]
        const isThere = (await said(cli, ['--version'], programMs)) !== undefined
        if (!isThere && !isNamed(cli)) return []
        const detail = isThere ? 'installed, but its server does not answer' : 'not found'
        return [
          {
            what: cli,
            state: state(cli),
            detail,
            remedy: isThere ? `Start it, and try: ${cli} info` : `Install ${cli}.`,
          },
        ]
      },
    })),
  ]
}

/** Tries an allow-list of hosts: its probe asks for a host that is not listed, and for an address. */
async function egressFinding(programMs: number): Promise<Finding> {
  const problem = await bubblewrapProblem(programMs, { network: { allow: [] } })
  if (problem !== undefined) return { what: 'egress', state: 'warning', detail: problem }
  return { what: 'egress', state: 'ok', detail: `bubblewrap: ${proved}` }
}

/** The result of the probe of a sandbox with an allow-list. */
export const proved = 'allow-lists work (a refused host was refused, a direct address had no route)'

async function bubblewrapProblem(programMs: number, options?: BubblewrapOptions): Promise<string | undefined> {
  try {
    await bubblewrapSandbox(options).probe(AbortSignal.timeout(programMs))
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

const leastFreeBytes = 1e9

/** The free space for results. */
export async function diskFinding(directory: string): Promise<Finding> {
  const { bavail, bsize } = await nearestStatfs(directory)
  const free = bavail * bsize
  const found = { what: 'disk', detail: `${bytesText(free)} free for results` }
  if (free >= leastFreeBytes) return { ...found, state: 'ok' }
  return { ...found, state: 'warning', remedy: `Free some space, for example with: ${commandLine('store', 'prune')}` }
}

async function nearestStatfs(directory: string): Promise<StatsFs> {
  for (let at = directory; ; at = dirname(at)) {
    const found = await statfs(at).catch(() => undefined)
    if (found !== undefined) return found
    if (at === dirname(at)) throw new Error(`the disk of ${directory} cannot be read`)
  }
}

/** Returns the first line of a program's output; `undefined` if it is missing, fails or takes too long. */
async function said(program: string, words: readonly string[], programMs: number): Promise<string | undefined> {
  try {
    const { stdout } = await execute(program, [...words], { timeout: programMs, killSignal: 'SIGKILL' })
    return stdout.trim().split('\n', 1)[0]
  } catch {
    return undefined
  }
}

interface ConfigNeeds {
  /** Names of variables that contain keys. */
  readonly keys: readonly string[]
  readonly sandboxes: SandboxWords
}

/** Collects everything below `apiKeyEnv` and `sandbox`, anywhere in a config. */
export function configNeeds(config: unknown): ConfigNeeds {
  const keys = new Set<string>()
  const sandboxes = new Set<string>()
  const look = (value: unknown) => {
    if (Array.isArray(value)) for (const one of value) look(one)
    if (!isPlainObject(value)) return
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'apiKeyEnv' && typeof inner === 'string') keys.add(inner)
      if (name === 'sandbox')
        for (const word of typeof inner === 'string' ? [inner] : Object.keys(Object(inner))) sandboxes.add(word)
      look(inner)
    }
  }
  look(config)
  return { keys: [...keys], sandboxes: [...sandboxes] }
}
