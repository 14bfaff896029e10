import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { stringify } from 'yaml'
import type { SetupCommand } from '../git/project-commands.js'
import type { Instance } from './instances.js'
import type { InstanceTrees } from './repository-trees.js'

/** An item: an instance, with its files and its judge where its repository was there. */
export interface SwebenchItem {
  readonly instance: Instance
  readonly solved?: {
    readonly trees: InstanceTrees
    readonly judge: Readonly<Record<string, unknown>>
    /** The path of its repository, from the dataset. */
    readonly repoPath: string
  }
}

/** What a project is made of. */
export interface SwebenchProject {
  readonly name: string
  readonly items: readonly SwebenchItem[]
  readonly sandbox: string | undefined
  readonly setup: SetupCommand | readonly SetupCommand[] | undefined
}

/** Adds items to a project. Nothing else of it is written, and an item that still lacks its files stays as it is. */
export async function addItems(
  root: string,
  { manifest }: EarlierProject,
  items: readonly SwebenchItem[],
): Promise<void> {
  const dataset = join(root, 'dataset')
  const known = new Set(manifest.items.map(({ id }) => id))
  const written = items.filter(({ instance, solved }) => solved !== undefined || !known.has(instance.id))
  for (const item of written) await writeItem(dataset, item)
  const ready = new Set(items.flatMap(({ instance, solved }) => (solved === undefined ? [] : [instance.id])))
  const kept = manifest.items.map(({ status, ...entry }) =>
    status === undefined || ready.has(entry.id) ? entry : { ...entry, status },
  )
  const added = items.filter(({ instance }) => !known.has(instance.id)).map(entryOf)
  // At one moment: a manifest that is half written is not a dataset.
  const file = join(dataset, 'dataset.json')
  await writeFile(`${file}.tmp`, json({ ...manifest, items: [...kept, ...added] }))
  await rename(`${file}.tmp`, file)
}

function entryOf({ instance: { id }, solved }: SwebenchItem): ManifestEntry {
  return { id, path: `items/${id}`, ...(solved === undefined ? { status: 'disabled' } : {}) }
}

/** The path of the repository of some instances, from the dataset. */
export function repositoryPath(repo: string): string {
  return `repositories/${repo.replace('/', '__')}.git`
}

/** Writes the config, the manifest and the items. */
export async function writeSwebenchProject(root: string, project: SwebenchProject): Promise<void> {
  const dataset = join(root, 'dataset')
  await mkdir(join(dataset, 'items'), { recursive: true })
  for (const item of project.items) await writeItem(dataset, item)
  const manifest = {
    schemaVersion: 1,
    name: project.name,
    version: '1',
    items: project.items.map(entryOf),
    metadata: { source: { format: 'swe-bench' } },
  }
  await writeFile(join(dataset, 'dataset.json'), json(manifest))
  await writeFile(join(root, 'jurist.config.yaml'), configText(project))
  await writeFile(join(root, '.gitignore'), 'results/\n.jurist/\n')
}

async function writeItem(dataset: string, { instance, solved }: SwebenchItem): Promise<void> {
  const { id, repo, baseCommit, problem, version, kept } = instance
  const directory = join(dataset, 'items', id)
  const git = (commitHash: string) => ({ repoPath: solved?.repoPath, commitHash })
  const item = {
    ...(solved && { beforeRef: git(solved.trees.before), referenceRef: git(solved.trees.reference) }),
    ...(solved && { judges: { tests: solved.judge } }),
    tags: [repo],
    metadata: {
      source: {
        instance_id: id,
        repo,
        base_commit: baseCommit,
        version,
        ...kept,
      },
    },
  }
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'task.md'), problem.endsWith('\n') ? problem : `${problem}\n`)
  await writeFile(join(directory, 'item.json'), json(item))
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function configText({ name, sandbox, setup }: SwebenchProject): string {
  const inline = (value: object) => stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
  return `# Instances of SWE-bench. Each is judged by the tests of its test_patch (see the item.json of each item).
experiments:
  ${name}:
    dataset: dataset
    # Any program that works in its current directory, such as Codex: [codex, exec, --full-auto, "{{prompt}}"].
    agent: { command: [claude, -p, "{{prompt}}", --permission-mode, acceptEdits] }
    # Where commands of agents and judges run: none (on this machine), auto, bubblewrap, docker:<image>.
    sandbox: ${sandbox ?? 'none'}
${setup === undefined ? '' : `    # Runs once for each content of its inputs. Each workspace gets a copy of what it keeps.\n    setup: ${inline(setup)}\n`}    # The items describe the command that runs their tests: read them before you trust a file that you did not make.
    trustItems: true
`
}

/** An entry of the manifest of a dataset. */
interface ManifestEntry {
  readonly id: string
  readonly path: string
  readonly status?: string
}

/** A project that an earlier import made. */
export interface EarlierProject {
  /** Its manifest, which a person may have changed since. */
  readonly manifest: { readonly items: readonly ManifestEntry[] }
  /** The items that have their files; the others are imported again. */
  readonly whole: ReadonlySet<string>
}

/** The project of an earlier import of SWE-bench; `undefined` for any other directory. */
export async function earlierProject(root: string): Promise<EarlierProject | undefined> {
  const dataset = join(root, 'dataset')
  const manifest = await jsonIn(join(dataset, 'dataset.json'))
  if (!v.is(earlierSchema, manifest)) return undefined
  const { items } = manifest
  const whole = new Set<string>()
  for (const { id, path } of items) {
    const item = await jsonIn(join(dataset, path, 'item.json'))
    if (isPlainObject(item) && item['beforeRef'] !== undefined) whole.add(id)
  }
  return { manifest, whole }
}

const earlierSchema = v.looseObject({
  items: v.array(v.looseObject({ id: v.string(), path: v.string(), status: v.exactOptional(v.string()) })),
  metadata: v.looseObject({ source: v.looseObject({ format: v.literal('swe-bench') }) }),
})

async function jsonIn(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseOrUndefined(text)
}
