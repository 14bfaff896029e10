import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace, WritableWorkspace } from '@jurist/core'

/** Lays the files of a reference over a workspace; programs stay programs. */
export async function layReference(
  workspace: WritableWorkspace,
  reference: Workspace,
  signal: AbortSignal,
): Promise<void> {
  const programs: string[] = []
  for await (const { path, type } of reference.list({ signal })) {
    if (type !== 'file') continue
    await workspace.write(path, await reference.readBytes(path))
    if (isProgram(reference, path) && !isProgram(workspace, path)) programs.push(path)
  }
  if (programs.length > 0) await workspace.run(['chmod', '+x', '--', ...programs], { signal })
}

/** Whether a file can be executed, as far as the workspace knows: one without a directory does not. */
function isProgram({ root }: Workspace, path: string): boolean {
  return root !== undefined && (lstatSync(join(root, path)).mode & 0o111) !== 0
}
