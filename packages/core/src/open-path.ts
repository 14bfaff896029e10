import { failureOf } from './errors.js'
import { isJudgedWorkspace } from './fault.js'
import { isObject } from './json.js'
import { optionInvalid, printed } from './options.js'
import type { Workspace, WritableWorkspace } from './workspace.js'

/**
 * A workspace, or the path of a directory as a string or a `file:` URL. `jurist` and `@jurist/workspace` open paths.
 * `@jurist/core` alone reads no files and rejects a path.
 *
 * @example
 * import { judgmentContext, type WorkspaceInput } from 'jurist'
 *
 * const here: WorkspaceInput = new URL('.', import.meta.url)
 * judgmentContext({ workspace: here })
 */
export type WorkspaceInput<Opened extends Workspace = Workspace> = Opened | string | URL

let open: ((path: string | URL) => WritableWorkspace) | undefined

/** Packages that run on Node.js call it once, when they are imported. */
export function openPathsWith(opener: (path: string | URL) => WritableWorkspace): void {
  open = opener
}

export function isOpen(given: unknown): boolean {
  return given === undefined || (isObject(given) && (isJudgedWorkspace(given) || 'exists' in given))
}

/**
 * @param where the function that was called, for the message
 * @throws `option-invalid` for anything but a workspace or the path of a directory
 */
export function openedWorkspace<Opened extends Workspace>(
  where: string,
  option: string,
  given: WorkspaceInput<Opened>,
): Opened | WritableWorkspace {
  if (typeof given !== 'string' && !(given instanceof URL)) {
    if (isOpen(given)) return given
    return optionInvalid(option, `${where}: "${option}" must be a workspace or a directory (got ${printed(given)}).`)
  }
  if (open === undefined)
    return optionInvalid(
      option,
      `${where}: "${option}" is a path (${printed(String(given))}), and @jurist/core opens none. Pass ` +
        `localWorkspace(${printed(String(given))}) of "@jurist/workspace", or import from "jurist".`,
    )
  try {
    return open(given)
  } catch (thrown) {
    return optionInvalid(option, `${where}: "${option}" cannot be opened: ${failureOf(thrown).message}`)
  }
}
