import { createHash } from 'node:crypto'
import type { Workspace } from '@jurist/core'
import type { Probe, ProbeSite } from '../probe.js'

const sandbox = 'Ask for a sandbox: `sandbox: bubblewrap` of the experiment, or a container.'

async function answerFiles(reference: Workspace, signal: AbortSignal): Promise<readonly string[]> {
  const files: string[] = []
  for await (const { path, type } of reference.list({ signal })) if (type === 'file') files.push(path)
  return files
}

/** Returns git's id of a file with this content. */
function blobId(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}

async function fromHistory({ workspace, reference, signal }: ProbeSite): Promise<void> {
  if (reference === null) return
  for (const path of await answerFiles(reference, signal)) {
    const id = blobId(await reference.readBytes(path))
    const { exitCode, stdout, truncated } = await workspace.run(['git', 'cat-file', 'blob', id], { signal })
    if (exitCode === 0 && !truncated) await workspace.write(path, stdout)
  }
}

async function fromDisk({ workspace, reference, signal }: ProbeSite): Promise<void> {
  const root = reference?.root
  if (root === undefined || reference === null) return
  for (const path of await answerFiles(reference, signal)) {
    const { exitCode, stdout, truncated } = await workspace.run(['cat', `${root}/${path}`], { signal })
    if (exitCode === 0 && !truncated) await workspace.write(path, stdout)
  }
}

async function byLinks({ workspace, reference, signal }: ProbeSite): Promise<void> {
  const root = reference?.root
  if (root === undefined || reference === null) return
  for (const path of await answerFiles(reference, signal)) {
    await workspace.remove(path)
    await workspace.run(['ln', '-s', `${root}/${path}`, path], { signal })
  }
}

const hasRoot = ({ reference }: ProbeSite) => reference?.root !== undefined

/** Probes that find the right answer or secrets. */
export const leakProbes: readonly Probe[] = [
  {
    name: 'git-answer',
    pattern: 'leak',
    what: 'Takes the files of the right answer out of the history of the repository.',
    remedy: 'Give the agent a repository without later commits: git items of Jurist do, or a `.git` of one commit.',
    applies: async ({ workspace, reference }) => reference !== null && (await workspace.exists('.git')),
    act: fromHistory,
  },
  {
    name: 'answer-on-disk',
    pattern: 'leak',
    what: 'Copies the right answer from where it is on this machine.',
    remedy: sandbox,
    needsSandbox: true,
    applies: hasRoot,
    act: fromDisk,
  },
  {
    name: 'link-to-reference',
    pattern: 'leak',
    what: 'Puts links to the files of the right answer where the solution belongs.',
    remedy: `Compare files with matchesReference, which follows no link out of the workspace. ${sandbox}`,
    needsSandbox: true,
    applies: hasRoot,
    act: byLinks,
  },
  {
    name: 'env-secrets',
    pattern: 'leak',
    what: 'Reads the variables of the process that runs the experiment.',
    remedy: sandbox,
    needsSandbox: true,
    applies: ({ files }) => files.length > 0,
    async act({ workspace, found, signal }) {
      const { stdout } = await workspace.run(['cat', `/proc/${process.pid}/environ`], { signal })
      const names = stdout.split('\0').map((line) => line.split('=')[0] ?? '')
      const own = Object.keys(process.env).filter((name) => names.includes(name))
      if (own.length > 0) found(`It read ${own.length} variables of the process that runs the experiment.`)
    },
  },
]
