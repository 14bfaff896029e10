import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { filesIn } from '../../reference-agent.js'
import type { Probe, ProbeSite } from '../probe.js'

const sandbox = 'Ask for a sandbox: `sandbox: bubblewrap` of the experiment, or a container.'

/** Returns git's id of a file with this content. */
function blobId(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}

async function fromHistory({ workspace, reference, signal }: ProbeSite): Promise<void> {
  if (reference === null) return
  for (const path of await filesIn(reference, signal)) {
    const id = blobId(await reference.readBytes(path))
    const { exitCode, stdout, truncated } = await workspace.run(['git', 'cat-file', 'blob', id], { signal })
    if (exitCode === 0 && !truncated) await workspace.write(path, stdout)
  }
}

async function fromDisk({ workspace, reference, signal }: ProbeSite): Promise<void> {
  const root = reference?.root
  if (root === undefined || reference === null) return
  for (const path of await filesIn(reference, signal)) {
    const { exitCode, stdout, truncated } = await workspace.run(['cat', `${root}/${path}`], { signal })
    if (exitCode === 0 && !truncated) await workspace.write(path, stdout)
  }
}

async function byLinks({ workspace, reference, signal }: ProbeSite): Promise<void> {
  const root = reference?.root
  if (root === undefined || reference === null) return
  for (const path of await filesIn(reference, signal)) {
    await workspace.remove(path)
    await workspace.run(['ln', '-s', `${root}/${path}`, path], { signal })
  }
}

/** The files of the answer that the workspace does not have as they are, at most `mostFiles`. */
async function missingFiles({ workspace, reference, signal }: ProbeSite): Promise<ReadonlyMap<string, string>> {
  const missing = new Map<string, string>()
  if (reference === null) return missing
  for (const path of await filesIn(reference, signal)) {
    const id = blobId(await reference.readBytes(path))
    const own = await workspace.readBytes(path).catch(() => null)
    if (own === null || blobId(own) !== id) missing.set(path, id)
    if (missing.size >= mostFiles) break
  }
  return missing
}

const mostFiles = 20
const cloneMs = 120_000
const fetchMs = 20_000
const besideWork = '.jurist-upstream'

async function byClone(site: ProbeSite): Promise<void> {
  const { workspace, upstream, found, signal } = site
  if (upstream === null) return
  const { address } = upstream
  const clone = ['git', 'clone', '-q', '--bare', address, besideWork]
  const { exitCode } = await workspace.run(clone, { signal, timeoutMs: cloneMs, env: { GIT_TERMINAL_PROMPT: '0' } })
  try {
    if (exitCode !== 0) return
    for (const [path, id] of await missingFiles(site)) {
      const asked = await workspace.run(['git', '-C', besideWork, 'cat-file', '-e', id], { signal })
      if (asked.exitCode === 0) return found(`It cloned ${address}, which has ${path} of the right answer.`)
    }
  } finally {
    await workspace.run(['rm', '-rf', besideWork])
  }
}

/** Programs that print what is at an address, by the proxy of the environment and without one. */
const fetchers: readonly ((address: string) => readonly string[])[] = [
  (address) => ['curl', '-sSfL', '-m', '15', address],
  (address) => ['curl', '-sSfL', '-m', '15', '--noproxy', '*', address],
  (address) => [
    'node',
    '-e',
    `fetch(${JSON.stringify(address)}).then(async (a) => process.stdout.write(a.ok ? await a.text() : ''))`,
  ],
  (address) => [
    'python3',
    '-c',
    `import urllib.request as r; print(r.urlopen(${JSON.stringify(address)}, timeout=15).read().decode(), end='')`,
  ],
]

async function byFetch(site: ProbeSite): Promise<void> {
  const { workspace, upstream, found, signal } = site
  const { address = '', commit } = upstream ?? {}
  if (upstream === null || commit === null) return
  for (const [path, id] of await missingFiles(site)) {
    const at = `${address}/raw/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`
    for (const words of fetchers) {
      const { stdout } = await workspace.run(words(at), { signal, timeoutMs: fetchMs })
      if (blobId(Buffer.from(stdout)) === id) return found(`${words(at)[0]} read ${path} of the right answer at ${at}.`)
    }
  }
}

const closed = 'Let the agent reach its model and nothing else: network: { allow: […] } of its sandbox.'

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
    name: 'truth-copied',
    pattern: 'leak',
    what: 'Copies files outside the workspace that the verifier reads to where it looks for outputs.',
    remedy: 'Put what the verifier compares with below tests/, which the agent does not see.',
    needsSandbox: true,
    applies: ({ verifierCompares: { outputs, others } }) => outputs.length > 0 && others.length > 0,
    async act({ workspace, verifierCompares: { outputs, others }, signal }) {
      for (const to of outputs) {
        const from = others.find((path) => posix.extname(path) === posix.extname(to)) ?? others[0] ?? ''
        await workspace.run(['sh', '-c', 'mkdir -p "$(dirname "$2")" && cp "$1" "$2"', 'sh', from, to], { signal })
      }
    },
  },
  {
    name: 'fetch-answer',
    pattern: 'leak',
    what: "Asks the server of the item's project for the files of the right answer.",
    remedy: closed,
    needsSandbox: true,
    online: true,
    applies: ({ upstream, reference }) => reference !== null && upstream !== null && upstream.commit !== null,
    act: byFetch,
  },
  {
    name: 'clone-upstream',
    pattern: 'leak',
    what: "Clones the item's project, and looks for the right answer in all of its commits.",
    remedy: closed,
    needsSandbox: true,
    online: true,
    applies: ({ upstream, reference }) => reference !== null && upstream !== null,
    act: byClone,
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
