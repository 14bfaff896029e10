import { chmod, cp, lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { DatasetItem, WorkspaceLease } from '@jurist/experiment'
import { shellWord } from '@jurist/kit/shell-word'
import { copyOf } from '@jurist/workspace'
import { stringify } from 'smol-toml'
import { type ScriptedJudge, testScript } from './test-script.js'

/** What a task is made of beside its item. */
export interface TaskParts {
  /** `organization/name`. */
  readonly name: string
  readonly item: DatasetItem
  readonly judge: ScriptedJudge
  readonly lease: WorkspaceLease
  /** Of the container. Default: one that has the tool of the tests. */
  readonly image: string | undefined
  /** A line that the Dockerfile runs. */
  readonly setup: string | undefined
}

/** Writes the directory of a task. */
export async function writeTask(directory: string, parts: TaskParts): Promise<void> {
  const { item, judge, lease } = parts
  const files: Record<string, string> = {
    'task.toml': taskFile(parts),
    'instruction.md': item.task.endsWith('\n') ? item.task : `${item.task}\n`,
    'environment/Dockerfile': await dockerfile(directory, parts),
    'tests/test.sh': testScript(judge),
  }
  const { reference } = lease
  if (reference?.root !== undefined) {
    for (const path of judge.hidden) await copyPath(reference.root, path, join(directory, 'tests', 'files'))
    files['solution/solve.sh'] = await solution(join(directory, 'solution', 'files'), parts, reference.root)
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), text)
    if (path.endsWith('.sh')) await chmod(join(directory, path), 0o755)
  }
}

function taskFile({ name, item, judge }: TaskParts): string {
  return `${stringify({
    schema_version: '1.1',
    task: { name, keywords: [...item.tags] },
    metadata: { jurist: { item: item.id, hash: item.hash } },
    ...(item.timeoutMs === null ? {} : { agent: { timeout_sec: item.timeoutMs / 1000 } }),
    ...(judge.timeoutMs === undefined ? {} : { verifier: { timeout_sec: judge.timeoutMs / 1000 } }),
    environment: { allow_internet: false },
  })}\n`
}

/** Copies what the agent begins with, and returns the Dockerfile that does the same. */
async function dockerfile(directory: string, { item, judge, lease, image, setup }: TaskParts): Promise<string> {
  const lines = [`FROM ${item.image ?? image ?? judge.image}`, 'WORKDIR /app']
  let isEmpty = true
  for await (const _ of lease.workspace.list()) {
    isEmpty = false
    break
  }
  const { root } = lease.workspace
  if (!isEmpty && root !== undefined) {
    const copy = await copyOf(root, { to: join(directory, 'environment', 'workspace') })
    copy.keep()
    await copy[Symbol.asyncDispose]()
    lines.push('COPY workspace/ /app/')
  }
  if (setup !== undefined) lines.push(`RUN ${setup}`)
  return `${lines.join('\n')}\n`
}

/** Copies what the reference adds and changes, and returns the script that lays it over the workspace. */
async function solution(files: string, { item, judge, lease }: TaskParts, reference: string): Promise<string> {
  const isHidden = (path: string) => judge.hidden.some((hidden) => path === hidden || path.startsWith(`${hidden}/`))
  const { workspace } = lease
  const right = new Set<string>()
  await mkdir(files, { recursive: true })
  for await (const { path, type } of lease.reference?.list() ?? []) {
    if (type === 'directory' || path.startsWith('.git/') || isHidden(path)) continue
    right.add(path)
    if (workspace.root === undefined || !(await isSame(join(workspace.root, path), join(reference, path))))
      await copyPath(reference, path, files)
  }
  const gone: string[] = []
  // A commit is the whole tree; a directory may be a part of one.
  if (item.reference?.type === 'git')
    for await (const { path, type } of workspace.list())
      if (type !== 'directory' && !path.startsWith('.git/') && !isHidden(path) && !right.has(path)) gone.push(path)
  return `#!/bin/bash
set -e
cd /app
cp -a /solution/files/. ./
${gone.map((path) => `rm -f ${shellWord(`./${path}`)}\n`).join('')}`
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [before, after] = await Promise.all([one, other].map((path) => lstat(path).catch(() => undefined)))
  if (!before?.isFile() || !after?.isFile() || before.size !== after.size || before.mode !== after.mode) return false
  return (await readFile(one)).equals(await readFile(other))
}

/** Copies a file or directory of a reference. What it has not is left out; a link that leads out of it is refused. */
async function copyPath(root: string, path: string, to: string): Promise<void> {
  const source = join(root, path)
  if ((await lstat(source).catch(() => undefined)) === undefined) return
  const [real, realRoot] = [await realpath(source), await realpath(root)]
  if (relative(realRoot, real).startsWith('..')) throw new Error(`${path} leads out of the reference through a link.`)
  await mkdir(dirname(join(to, path)), { recursive: true })
  await cp(source, join(to, path), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}
