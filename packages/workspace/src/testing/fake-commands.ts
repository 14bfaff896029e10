import type { CommandResult, RunOptions, Workspace } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'

/**
 * A workspace whose commands are played by `run`; everything else is that of `workspace`. A shell line arrives as
 * `['bash', '-c', line]`; fields that `run` leaves out are those of a command that exited with 0 and printed nothing.
 *
 * @example
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
    ...(root === undefined ? {} : { root }),
    exists: (path) => workspace.exists(path),
    isFile: (path) => workspace.isFile(path),
    read: (path, options) => workspace.read(path, options),
    readBytes: (path, options) => workspace.readBytes(path, options),
    list: (options) => workspace.list(options),
    run: (command, options) => player.run(command, options),
  })
}
