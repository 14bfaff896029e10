import type { Workspace, WritableWorkspace } from '@jurist/core'

/** Lays the files of a reference over a workspace. */
export async function layReference(
  workspace: WritableWorkspace,
  reference: Workspace,
  signal: AbortSignal,
): Promise<void> {
  for await (const { path, type } of reference.list({ signal }))
    if (type === 'file') await workspace.write(path, await reference.readBytes(path))
}
