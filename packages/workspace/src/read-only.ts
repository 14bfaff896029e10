import { JuristError, type Workspace } from '@jurist/core'
import { type OwnView, ownView } from '@jurist/core/internal'

/**
 * A view for judges: everything but changing files. `write` and `remove` of the workspace, if it has them, reject with
 * `read-only`; commands still run in the directory itself, those of judges that are combined in a copy.
 *
 * @example
 * await runJudge(judge, aContext({ reference: readOnly(workspace) }))
 */
export function readOnly(workspace: Workspace): Workspace {
  const refuse = async (path: string): Promise<never> => {
    throw new JuristError('read-only', `${path} cannot be changed: the workspace is lent for reading.`, { path })
  }
  const { root } = workspace
  const divide = (workspace as { readonly [ownView]?: () => OwnView })[ownView]
  const view = {
    ...(root === undefined ? {} : { root }),
    // How its commands run is no secret: a copy of it must run them alike.
    ...('sandbox' in workspace ? { sandbox: workspace.sandbox } : {}),
    exists: (path) => workspace.exists(path),
    isFile: (path) => workspace.isFile(path),
    read: (path, options) => workspace.read(path, options),
    readBytes: (path, options) => workspace.readBytes(path, options),
    list: (options) => workspace.list(options),
    run: (command, options) => workspace.run(command, options),
    // A copy is nobody else's: there a judge may clear reports away.
    ...(divide === undefined ? {} : { [ownView]: () => divide.call(workspace) }),
  } satisfies Workspace
  return Object.freeze({ ...view, ...('write' in workspace ? { write: refuse, remove: refuse } : {}) })
}
