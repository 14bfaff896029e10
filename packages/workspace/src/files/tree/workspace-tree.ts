import type { Workspace } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { maxReadBytes } from '@jurist/core/internal'
import { directoryOf } from '../../workspace-directory.js'
import { byCodeUnits } from '../difference.js'
import { directoryTree } from './directory-tree.js'
import type { FileTree, Found, Listing, OpenFile, Selection } from './file-tree.js'
import { maxTreeEntries } from './file-tree.js'

/** Opens a workspace as a tree of files: through its directory if it has one, otherwise through its methods. */
export function workspaceTree(workspace: Workspace): FileTree {
  const root = directoryOf(workspace)
  return root === undefined ? answeringTree(workspace) : directoryTree(root)
}

function answeringTree(workspace: Workspace): FileTree {
  const sizes = new Map<string, number>()
  const bytesOf = (path: string) => {
    const maxBytes = Math.max(sizes.get(path) ?? maxReadBytes, maxReadBytes)
    return whenThere(() => workspace.readBytes(path, { maxBytes }))
  }
  return {
    root: null,
    list: (selection, signal) => listWorkspace(workspace, selection, signal, sizes),
    look: (path) => inspectFile(workspace, path, sizes.get(path)),
    read: async (path, length) => (await bytesOf(path))?.subarray(0, length),
    async open(path) {
      const bytes = await bytesOf(path)
      return bytes && heldFile(bytes)
    },
  }
}

/** A workspace returns whole files, so the pieces are taken from memory. */
function heldFile(bytes: Uint8Array): OpenFile {
  return {
    fill(buffer, offset) {
      const piece = bytes.subarray(offset, offset + buffer.length)
      buffer.set(piece)
      return piece.length
    },
    [Symbol.dispose]() {},
  }
}

async function listWorkspace(
  workspace: Workspace,
  selection: Selection,
  signal: AbortSignal,
  sizes: Map<string, number>,
): Promise<Listing> {
  const files = new Map<string, boolean>()
  const dropped: string[] = []
  let entries = 0
  try {
    for await (const { path, type, sizeBytes } of workspace.list({ signal })) {
      if (dropped.some((directory) => path.startsWith(directory))) continue
      if (type === 'directory' ? !selection.directory(path) : !selection.file(path)) {
        if (type === 'directory') dropped.push(`${path}/`)
        continue
      }
      if (++entries > maxTreeEntries) return { files: inOrder(files), unreadable: [], truncated: true }
      if (type !== 'directory') files.set(path, type === 'file')
      if (type === 'file') sizes.set(path, sizeBytes)
    }
  } catch (thrown) {
    // A workspace may have its own limit. The number of files from an agent must not break the judge.
    if (JuristError.is(thrown, 'limit-exceeded')) return { files: inOrder(files), unreadable: [], truncated: true }
    throw thrown
  }
  return { files: inOrder(files), unreadable: [], truncated: false }
}

function inOrder(files: ReadonlyMap<string, boolean>): ReadonlyMap<string, boolean> {
  return new Map([...files].sort(([one], [other]) => byCodeUnits(one, other)))
}

async function inspectFile(workspace: Workspace, path: string, listedBytes: number | undefined): Promise<Found> {
  try {
    if (!(await workspace.exists(path))) return { kind: 'missing' }
    if (!(await workspace.isFile(path))) return { kind: 'other', what: 'not a regular file' }
    return { kind: 'file', sizeBytes: listedBytes ?? (await workspace.readBytes(path)).length }
  } catch (thrown) {
    if (JuristError.is(thrown, 'path-escape')) return { kind: 'escape' }
    if (JuristError.is(thrown, 'not-found')) return { kind: 'missing' }
    return { kind: 'unreadable' }
  }
}

async function whenThere<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof JuristError) return undefined
    throw thrown
  }
}
