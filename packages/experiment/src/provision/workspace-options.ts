import { JuristError } from '@jurist/core'
import { type OptionRule, option } from '@jurist/core/internal'
import type { EnvironmentPolicy, LocalWorkspaceOptions, Sandbox } from '@jurist/workspace'
import { bubblewrapSandbox } from '@jurist/workspace'
import { sweepTemporary } from '@jurist/workspace/internal'
import type { Isolation } from './provision.js'
import type { WorkspaceSetup } from './setup-options.js'

/** Options of the workspaces of a provision. */
export interface WorkspaceOptions {
  /**
   * Where commands run. Default `'none'`: on the machine itself. `'auto'`: in bubblewrap if that works, otherwise on the
   * machine itself.
   */
  readonly sandbox?: 'none' | 'bubblewrap' | 'auto' | Sandbox
  readonly environment?: EnvironmentPolicy
  readonly limits?: NonNullable<LocalWorkspaceOptions['limits']>
  /** Where commands of judges run. Default `'in-copies'`; see `LocalWorkspaceOptions`. */
  readonly judges?: 'in-copies' | 'in-place'
  /** Installs what the project needs into each workspace. Default: nothing. */
  readonly setup?: WorkspaceSetup
}

/** The rules of these options, for `checkOptions`. */
export const workspaceRules: { readonly [name in keyof Required<WorkspaceOptions>]: OptionRule } = {
  sandbox: {
    wants: '"none", "bubblewrap", "auto" or a sandbox',
    holds: (value) =>
      value === 'none' ||
      value === 'bubblewrap' ||
      value === 'auto' ||
      (typeof value === 'object' && value !== null && 'launch' in value),
  },
  environment: option.record,
  limits: option.record,
  judges: option.oneOf('in-copies', 'in-place'),
  setup: option.record,
}

/** The options of every workspace of a provision, once its sandbox is known to work. */
export interface WorkspaceSettings {
  readonly options: LocalWorkspaceOptions
  readonly isolation: Isolation
}

/**
 * The settings with containers of the image of an item; unchanged without one.
 *
 * @throws `sandbox-unavailable` if the sandbox has no images
 */
export function withImage(settings: WorkspaceSettings, image: string | null): WorkspaceSettings {
  if (image === null) return settings
  const { sandbox } = settings.options
  const other = typeof sandbox === 'object' ? sandbox.withImage?.(image) : undefined
  if (other !== undefined) return { ...settings, options: { ...settings.options, sandbox: other } }
  const name = typeof sandbox === 'object' ? sandbox.name : (sandbox ?? 'none')
  const reason = `it has no containers, and the item needs the image ${JSON.stringify(image)}`
  throw new JuristError('sandbox-unavailable', `The sandbox ${name}: ${reason}. Use dockerSandbox.`, {
    sandbox: name,
    reason,
  })
}

/**
 * A function that, at its first call, deletes the directories of killed processes and tries the sandbox. It remembers a
 * success; a failure is tried again at the next call.
 *
 * @throws `sandbox-unavailable` if the chosen sandbox does not work
 */
export function workspaceSettings(
  { sandbox = 'none', ...rest }: Omit<WorkspaceOptions, 'setup'>,
  parentDirectory?: string,
): () => Promise<WorkspaceSettings> {
  let known: Promise<WorkspaceSettings> | undefined
  const settle = async (): Promise<WorkspaceSettings> => {
    await sweepTemporary(parentDirectory)
    const working = await workingSandbox(sandbox)
    if (working === undefined) return { options: rest, isolation: 'none' }
    return { options: { ...rest, sandbox: working }, isolation: working.isolation }
  }
  return function settings() {
    known ??= settle().catch((thrown: unknown) => {
      known = undefined
      throw thrown
    })
    return known
  }
}

/** `undefined`: no sandbox. */
async function workingSandbox(sandbox: Required<WorkspaceOptions>['sandbox']): Promise<Sandbox | undefined> {
  if (sandbox === 'none') return undefined
  if (sandbox === 'auto') {
    const bubblewrap = bubblewrapSandbox()
    return bubblewrap.probe().then(
      () => bubblewrap,
      () => undefined,
    )
  }
  const chosen = sandbox === 'bubblewrap' ? bubblewrapSandbox() : sandbox
  await chosen.probe()
  return chosen
}
