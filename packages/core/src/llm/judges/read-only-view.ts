import { JuristError } from '../../errors.js'
import { freeze } from '../../freeze.js'
import { notStarted, type Workspace, type WritableWorkspace } from '../../workspace.js'

/**
 * A workspace as an agent that judges may use it: it reads and lists, `write` and `remove` reject with `read-only`.
 * Without `allowCommands` no command starts, and the directory is not told either: whoever knows it can change it.
 */
export function readOnlyView(workspace: Workspace, allowCommands: boolean): WritableWorkspace {
  const { root } = workspace
  return freeze<WritableWorkspace>({
    ...(allowCommands && root !== undefined ? { root } : {}),
    exists: (path) => workspace.exists(path),
    isFile: (path) => workspace.isFile(path),
    read: (path, options) => workspace.read(path, options),
    readBytes: (path, options) => workspace.readBytes(path, options),
    list: (options) => workspace.list(options),
    run: allowCommands ? (command, options) => workspace.run(command, options) : async () => refused,
    write: refuse,
    remove: refuse,
  })
}

async function refuse(path: string): Promise<never> {
  throw new JuristError('read-only', `${path} cannot be changed: the workspace is lent for judging.`, { path })
}

const refused = notStarted('commands are not allowed while judging; the judge can allow them with "allowCommands"')
