import type { Workspace } from '../../workspace.js'
import { maxReadBytes } from '../../workspace.js'
import { shortened } from '../fence.js'
import { hunks } from './hunks.js'
import { lineDiff } from './line-diff.js'

const maxFileChars = 20_000
const ignored = new Set(['.git', 'node_modules'])

interface Change {
  readonly head: string
  readonly body: string
}

/** A file of one side; without bytes it is too large to be read. */
interface File {
  readonly sizeBytes: number
  readonly bytes?: Uint8Array
}

/**
 * What changed between two workspaces, as a text for a model: first the list of files added, removed and changed, then
 * each with its lines, at most 20,000 characters a file. What is no text, or too large to be read, is told by its size.
 * `.git` and `node_modules` are left out, at any depth.
 *
 * @returns `''` when no file differs
 */
export async function workspaceChanges(before: Workspace, after: Workspace, signal: AbortSignal): Promise<string> {
  const [old, fresh] = [await sizesOf(before, signal), await sizesOf(after, signal)]
  const changes: Change[] = []
  for (const path of [...new Set([...old.keys(), ...fresh.keys()])].sort()) {
    signal.throwIfAborted()
    const change = changeOf(path, await fileOf(before, path, old), await fileOf(after, path, fresh))
    if (change !== undefined) changes.push(change)
  }
  if (changes.length === 0) return ''
  return [...changes.map(({ head }) => head), ...changes.map(({ head, body }) => `\n${head}\n${body}`)].join('\n')
}

async function sizesOf(workspace: Workspace, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { path, type, sizeBytes } of workspace.list({ signal }))
    if (type === 'file' && !path.split('/').some((segment) => ignored.has(segment))) sizes.set(path, sizeBytes)
  return sizes
}

async function fileOf(
  workspace: Workspace,
  path: string,
  sizes: ReadonlyMap<string, number>,
): Promise<File | undefined> {
  const sizeBytes = sizes.get(path)
  if (sizeBytes === undefined) return undefined
  return sizeBytes > maxReadBytes ? { sizeBytes } : { sizeBytes, bytes: await workspace.readBytes(path) }
}

function changeOf(path: string, old: File | undefined, fresh: File | undefined): Change | undefined {
  const kind = kindOf(old, fresh)
  // A name with a line break must not pass for two.
  const name = /\p{Cc}/u.test(path) ? JSON.stringify(path) : path
  return kind === 'same' ? undefined : { head: `${kind} ${name}`, body: bodyOf(old, fresh) }
}

function kindOf(old: File | undefined, fresh: File | undefined) {
  if (old === undefined) return 'added'
  if (fresh === undefined) return 'removed'
  if (old.sizeBytes !== fresh.sizeBytes) return 'changed'
  if (old.bytes === undefined || fresh.bytes === undefined) return 'not compared'
  return isSame(old.bytes, fresh.bytes) ? 'same' : 'changed'
}

function isSame(old: Uint8Array, fresh: Uint8Array): boolean {
  return old.length === fresh.length && old.every((byte, index) => byte === fresh[index])
}

function bodyOf(old: File | undefined, fresh: File | undefined): string {
  const [before, after] = [linesOf(old), linesOf(fresh)]
  if (before !== undefined && after !== undefined) return shortened(hunks(lineDiff(before, after)), maxFileChars)
  const sizes = [old, fresh].flatMap((file) => (file === undefined ? [] : [`${file.sizeBytes} bytes`]))
  return `(no text that can be shown: ${sizes.join(', then ')})`
}

/** The lines of a text; none for a file that is not there, `undefined` for what is no text. */
function linesOf(file: File | undefined): readonly string[] | undefined {
  if (file === undefined) return []
  if (file.bytes === undefined || file.bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes).split('\n')
  } catch {
    return undefined
  }
}
