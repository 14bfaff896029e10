import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'

/** A project that is made of tasks. */
export interface HarborProject {
  readonly name: string
  /** The items, in order. One that has nothing to run on is disabled. */
  readonly items: readonly { readonly id: string; readonly isReady: boolean }[]
  /** The sandbox of the config: its description, or a name. */
  readonly sandbox: object | string
  /** A comment above it. */
  readonly about: string
  /** The longest that a verifier may take, in milliseconds. */
  readonly judgeTimeoutMs: number
}

/** Writes `dataset.json` and the config. Returns the paths. */
export async function writeProject(
  root: string,
  { name, items, sandbox, about, judgeTimeoutMs }: HarborProject,
): Promise<readonly string[]> {
  const manifest = {
    schemaVersion: 1,
    name,
    version: '1',
    items: items.map(({ id, isReady }) => ({ id, path: `items/${id}`, ...(isReady ? {} : { status: 'disabled' }) })),
  }
  const config = `# Tasks of Harbor. Each is judged by its own verifier, tests/test.sh, after the agent (see the item.json of each item).
experiments:
  ${stringify(name).trim()}:
    dataset: dataset
    # Any program that works in its current directory, such as Codex: [codex, exec, --full-auto, "{{prompt}}"].
    agent: { command: [claude, -p, "{{prompt}}", --permission-mode, acceptEdits] }
    # ${about}
    sandbox: ${stringify(sandbox, { collectionStyle: 'flow', lineWidth: 0 }).trim()}
    # The verifier also looks at what an agent left that failed or took too long.
    judgeFailedRuns: true
    judgeTimeoutMs: ${judgeTimeoutMs}
    # What the solution of a task wrote is the right answer, whatever its files are called.
    vet: { solution: ["**"] }
`
  const files = {
    'jurist.config.yaml': config,
    '.gitignore': 'results/\n.jurist/\n',
    'dataset/dataset.json': `${JSON.stringify(manifest, null, 2)}\n`,
  }
  await mkdir(join(root, 'dataset'), { recursive: true })
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text)
  return Object.keys(files)
}
