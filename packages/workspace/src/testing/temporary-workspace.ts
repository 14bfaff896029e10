import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommandResult, RunOptions, Workspace } from '@jurist/core'
import { normalizePath } from '@jurist/core/internal'
import { memoryWorkspace } from '@jurist/core/testing'
import { type LocalWorkspace, localWorkspace } from '../local-workspace.js'

/** A string, bytes, a symbolic link by its target, or the content of an executable file. */
export type TemporaryFile = string | Uint8Array | { readonly link: string } | { readonly executable: string }

/**
 * Creates a workspace on a new directory with these files. `name/` with an empty string creates an empty directory.
 * Disposing it deletes the directory.
 *
 * @throws `path-invalid` or `path-escape` for an invalid name
 *
 * @example
 * import { temporaryWorkspace } from '@jurist/workspace/testing'
 *
 * await using workspace = await temporaryWorkspace({ 'src/a.txt': 'hello', 'run.sh': { executable: '#!/bin/sh\nls' } })
 */
export async function temporaryWorkspace(
  files: { readonly [path: string]: TemporaryFile } = {},
): Promise<LocalWorkspace> {
  const root = await mkdtemp(join(tmpdir(), 'jurist-'))
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 3 })
  try {
    for (const [path, file] of Object.entries(files)) await plant(root, path, file)
  } catch (thrown) {
    await remove()
    throw thrown
  }
  const workspace = localWorkspace(root)
  return Object.freeze<LocalWorkspace>({
    ...workspace,
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]()
      await remove()
    },
  })
}

async function plant(root: string, path: string, file: TemporaryFile): Promise<void> {
  const isDirectory = path.endsWith('/') && file === ''
  const place = join(root, normalizePath(path, isDirectory ? 'entry' : 'file'))
  await mkdir(isDirectory ? place : dirname(place), { recursive: true })
  if (isDirectory) return
  if (typeof file === 'string' || file instanceof Uint8Array) return writeFile(place, file)
  if ('link' in file) return symlink(file.link, place)
  await writeFile(place, file.executable)
  await chmod(place, 0o755)
}

/**
 * Returns a workspace whose commands are simulated by `run`; everything else is that of `workspace`. A shell line
 * arrives as `['bash', '-c', line]`. Fields that `run` leaves out are those of a command that exited with 0 and printed
 * nothing.
 *
 * @example
 * import { memoryWorkspace } from '@jurist/core/testing'
 * import { fakeCommands } from '@jurist/workspace/testing'
 *
 * const workspace = fakeCommands(memoryWorkspace(), ([program]) => ({ exitCode: program === 'npm' ? 0 : 127 }))
 */
export function fakeCommands(
  workspace: Workspace,
  run: (command: readonly string[], options: RunOptions) => Partial<CommandResult> | Promise<Partial<CommandResult>>,
): Workspace {
  const player = memoryWorkspace(
    {},
    { run: (command, options) => run(typeof command === 'string' ? ['bash', '-c', command] : command, options) },
  )
  const { root } = workspace
  return Object.freeze<Workspace>({
    root,
    exists: (path) => workspace.exists(path),
    isFile: (path) => workspace.isFile(path),
    read: (path, options) => workspace.read(path, options),
    readBytes: (path, options) => workspace.readBytes(path, options),
    list: (options) => workspace.list(options),
    run: (command, options) => player.run(command, options),
  })
}
