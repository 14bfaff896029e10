import { JuristError } from '@jurist/core'
import { arrayOf, described, nonBlank, type OptionDescriptions, type OptionRule, option } from '@jurist/core/internal'
import { bubblewrapSandbox, type EnvironmentPolicy, type LocalWorkspaceOptions, type Sandbox } from '@jurist/workspace'
import { sweepTemporary } from '@jurist/workspace/internal'
import type { Isolation, Provision, ProvisionRequest } from './provision.js'

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
  /**
   * Installs the packages of the project in each workspace: of several, the first whose file `when` exists. Default:
   * nothing.
   */
  readonly setup?: WorkspaceSetup | readonly WorkspaceSetup[]
}

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
  setup: option.either(option.record, arrayOf('an array of setups', option.record)),
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

/** The allow-list of a sandbox, and how to make the same provision with a longer one; nothing without a list. */
export function networkOf<Options extends Pick<WorkspaceOptions, 'sandbox'>>(
  options: Options | undefined,
  make: (options: Options) => Provision,
): Pick<Provision, 'network' | 'allowing'> {
  const { sandbox } = options ?? {}
  if (options === undefined || typeof sandbox !== 'object' || sandbox.network === undefined) return {}
  const { network } = sandbox
  return { network, allowing: (allowHosts) => make({ ...options, sandbox: sandbox.with?.({ allowHosts }) ?? sandbox }) }
}

/** The settings of the workspace of one trial, whose attempts to reach hosts are recorded. */
export function recording(
  settings: WorkspaceSettings,
  { onNetwork }: Pick<ProvisionRequest, 'onNetwork'>,
): WorkspaceSettings {
  return onNetwork === undefined ? settings : { ...settings, options: { ...settings.options, onNetwork } }
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

/** How the packages of a project are installed, once for all trials that need the same ones. */
export interface WorkspaceSetup {
  /** Runs in a copy of the reference, else of the initial state, on this machine and without a sandbox. */
  readonly command: string | readonly string[]
  /** Files whose contents determine the installation, such as `package-lock.json`. */
  readonly inputs: readonly string[]
  /** The directories that the command fills, such as `node_modules`. Each workspace gets a copy. */
  readonly keeps: readonly string[]
  /** A file: the setup is only for items that have it, and may find nothing to install. Default: for every item. */
  readonly when?: string
  /** Where they are kept for later runs. Default `.jurist/setups`. */
  readonly cacheDirectory?: string
  /** Milliseconds for the command. Default 900,000. */
  readonly timeoutMs?: number
}

const commandRule = {
  ...option.either(nonBlank, arrayOf('an array of strings', option.string, 1)),
  wants: 'a string or a non-empty array of strings',
}

export const setupRules: OptionDescriptions<WorkspaceSetup> = {
  command: described(
    commandRule,
    'Installs the packages, such as `npm ci`. It runs on this machine, without a sandbox.',
  ),
  inputs: described(option.strings, 'Files whose contents decide what is installed.'),
  keeps: described(option.strings, 'The directories that the command fills. Each workspace gets a copy.'),
  when: described(
    option.string,
    'A file: the setup is only for items that have it, and may find nothing to install. Default: for every item.',
  ),
  cacheDirectory: described(option.string, 'Where they are kept for later runs. Default: `.jurist/setups`.'),
  timeoutMs: described(option.positive, 'Milliseconds.', 900_000),
}
