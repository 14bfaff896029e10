import { execFile } from 'node:child_process'
import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { bubblewrapSandbox } from '@jurist/workspace'
import { bytesText } from '../terminal/bytes.js'
import type { Check, Finding } from './finding.js'

const execute = promisify(execFile)
const patienceMs = 4_000

/** The sandboxes that a config names: their words, such as `bubblewrap` or `docker:node:24`. */
export type SandboxWords = readonly string[]

const leastNode = [20, 19] as const

/** The version of Node. */
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

/** Git, which experiments of repositories and the recorded commit need. */
export const gitCheck: Check = {
  what: 'git',
  async look() {
    const version = await said('git', ['--version'])
    if (version !== undefined) return [{ what: 'git', state: 'ok', detail: version.replace(/^git version /, '') }]
    const detail = 'not found: no commit is recorded, and jurist import git does not work'
    return [{ what: 'git', state: 'warning', detail, remedy: 'Install git.' }]
  },
}

/** Bubblewrap, tried by running a program in it; docker and podman, by asking their servers. */
export function sandboxChecks(named: SandboxWords): readonly Check[] {
  const isNamed = (cli: string) => named.some((word) => word === cli || word.startsWith(`${cli}:`))
  const state = (cli: string): Finding['state'] => (isNamed(cli) ? 'missing' : 'warning')
  return [
    {
      what: 'bubblewrap',
      async look() {
        const problem = await bubblewrapProblem()
        if (problem === undefined) return [{ what: 'bubblewrap', state: 'ok', detail: 'isolates commands' }]
        const remedy = 'Install it (apt-get install bubblewrap) and allow user namespaces, or use docker:<image>.'
        return [{ what: 'bubblewrap', state: state('bubblewrap'), detail: problem, remedy }]
      },
    },
    ...['docker', 'podman'].map((cli) => ({
      what: cli,
      async look(): Promise<readonly Finding[]> {
        const format = cli === 'docker' ? '{{.ServerVersion}}' : '{{.Version.Version}}'
        const version = await said(cli, ['info', '--format', format])
        if (version) return [{ what: cli, state: 'ok', detail: version }]
        const isThere = (await said(cli, ['--version'])) !== undefined
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

async function bubblewrapProblem(): Promise<string | undefined> {
  try {
    await bubblewrapSandbox().probe(AbortSignal.timeout(patienceMs))
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

const leastFreeBytes = 1e9

/** The free space where results are written. */
export function diskCheck(directory: string): Check {
  return {
    what: 'disk',
    async look() {
      const { bavail, bsize } = await nearestStatfs(directory)
      const free = bavail * bsize
      const detail = `${bytesText(free)} free for results`
      if (free >= leastFreeBytes) return [{ what: 'disk', state: 'ok', detail }]
      return [{ what: 'disk', state: 'warning', detail, remedy: 'Make room, for example with: npx jurist prune' }]
    },
  }
}

async function nearestStatfs(directory: string): Promise<StatsFs> {
  for (let at = directory; ; at = dirname(at)) {
    const found = await statfs(at).catch(() => undefined)
    if (found !== undefined) return found
    if (at === dirname(at)) throw new Error(`the disk of ${directory} cannot be read`)
  }
}

/** What a program prints; `undefined` when it is missing, fails or takes too long. */
async function said(program: string, words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await execute(program, [...words], { timeout: patienceMs, killSignal: 'SIGKILL' })
    return stdout.trim().split('\n', 1)[0]
  } catch {
    return undefined
  }
}
