import type { Workspace } from 'jurist'

/** The paths of all Java sources, in order. */
export async function javaSources(workspace: Workspace): Promise<readonly string[]> {
  const paths: string[] = []
  for await (const { path, type } of workspace.list()) if (type === 'file' && path.endsWith('.java')) paths.push(path)
  return paths
}
