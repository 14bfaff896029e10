import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type JsonObject, JuristError } from '@jurist/core'
import { failureOf, type OptionRule, option } from '@jurist/core/internal'
import { provisionFailed, systemCode } from './errors.js'
import { copyInstalled, type LaidCopy } from './installed-copies.js'
import { type LocalWorkspace, localWorkspace } from './local-workspace.js'
import { deleteOrWarn, keepTemporary, sweepTemporary, temporaryDirectory } from './temporary-directory.js'
import { type LocalWorkspaceOptions, workspaceRules } from './workspace-settings.js'

/** Options of `emptyDirectory`, `copyOf` and `checkoutOf`. */
export interface ProvisionOptions extends LocalWorkspaceOptions {
  /** The directory to create; it must be absent or empty. Default: a new one below the system's temporary directory. */
  readonly to?: string
  readonly signal?: AbortSignal
}
/**
 * A workspace from `emptyDirectory`, `copyOf` or `checkoutOf`. Disposing it ends its commands and deletes its
 * directory.
 */
export interface ProvisionedWorkspace extends LocalWorkspace {
  /** The origin of its files. */
  readonly origin: JsonObject
  /** Keeps the directory when the workspace is disposed of. */
  keep(): void
  /**
   * Ends the commands and moves the directory to one that is absent or empty. This workspace cannot be used afterwards.
   */
  moveTo(dir: string): Promise<LocalWorkspace>
}

export const provisionRules: { readonly [name in keyof Required<ProvisionOptions>]: OptionRule } = {
  ...workspaceRules,
  to: option.string,
  signal: option.anything,
}

/**
 * Creates the directory, fills it, adds what was installed, and opens it. If that fails, everything it created is
 * removed.
 */
export async function provisioned(
  { to, signal, ...options }: ProvisionOptions,
  fill: (directory: string) => Promise<JsonObject>,
): Promise<ProvisionedWorkspace> {
  if (to === undefined) await sweepTemporary()
  const directory = freshDirectory(to)
  try {
    if (signal?.aborted)
      throw new JuristError('aborted', 'Provisioning was stopped.', { reason: String(signal.reason) })
    const origin = Object.freeze(await fill(directory))
    const { installed } = options
    const laid = installed === undefined ? undefined : await copyInstalled(directory, installed, signal)
    return disposable(localWorkspace(directory, options), { origin, options, laid })
  } catch (thrown) {
    await deleteOrWarn(directory)
    throw thrown
  }
}

/** The directory must be absent or empty. */
function freshDirectory(to: string | undefined): string {
  if (to === undefined) return temporaryDirectory()
  const directory = resolve(to)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (readdirSync(directory).length === 0) return directory
  } catch (thrown) {
    throw provisionFailed(directory, failureOf(thrown).message)
  }
  throw provisionFailed(directory, 'it is not empty')
}

interface Made {
  readonly origin: JsonObject
  readonly options: LocalWorkspaceOptions
  readonly laid: LaidCopy | undefined
}

function disposable(workspace: LocalWorkspace, { origin, options, laid }: Made): ProvisionedWorkspace {
  let kept = false
  const end = () => workspace[Symbol.asyncDispose]()
  return Object.freeze<ProvisionedWorkspace>({
    ...workspace,
    origin,
    keep() {
      kept = true
      keepTemporary(workspace.root)
    },
    async moveTo(dir) {
      await end()
      const target = resolve(dir)
      await move(workspace.root, target)
      kept = true
      return localWorkspace(target, options)
    },
    async [Symbol.asyncDispose]() {
      await end()
      if (kept) return
      await laid?.takeBack()
      await deleteOrWarn(workspace.root)
    },
  })
}

async function move(from: string, to: string): Promise<void> {
  freshDirectory(to)
  try {
    renameSync(from, to)
  } catch (thrown) {
    if (systemCode(thrown) !== 'EXDEV') throw provisionFailed(to, failureOf(thrown).message)
    await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    await deleteOrWarn(from)
  }
}
