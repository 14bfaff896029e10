import type { Workspace } from '@jurist/core'
import type { LocalWorkspace } from '../local-workspace.js'
import { inside } from '../sandbox/sandbox.js'

/**
 * The directories of a workspace: the one on this machine, and the one that its commands see in an isolating sandbox.
 */
export function rootsOf({ root, sandbox }: Workspace & Partial<Pick<LocalWorkspace, 'sandbox'>>): readonly string[] {
  const isolates = sandbox !== undefined && sandbox.isolation !== 'none'
  return [...(isolates ? [inside] : []), ...(root === undefined ? [] : [root])]
}

/**
 * Returns a function that makes the paths of a workspace relative in the output of its commands: a judge's copy is gone
 * when a reader looks, and `src/orders.js:7` leads to the change while `/tmp/jurist-4kq7/src/orders.js:7` does not.
 */
export function withinWorkspace(workspace: Workspace): (text: string) => string {
  const roots = rootsOf(workspace).map((root) => root.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  if (roots.length === 0) return (text) => text
  const below = new RegExp(`(?<![\\w./-])(?:file:\\/\\/)?(?:${roots.join('|')})\\/(?=[^\\s/])`, 'g')
  return (text) => text.replace(below, '')
}
