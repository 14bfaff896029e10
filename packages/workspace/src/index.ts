/**
 * A directory an agent worked in: copy it, read it, run commands in it, compare it.
 *
 * @example
 * import { copyOf } from '@jurist/workspace'
 *
 * await using workspace = await copyOf('fixtures/project')
 * const { status, exitCode } = await workspace.run(['npm', 'test'])
 */
import './errors.js'

export { checkoutOf, copyOf, emptyDirectory } from './copy.js'
export type { EnvironmentPolicy } from './environment.js'
export { type LocalWorkspace, localWorkspace } from './local-workspace.js'
export type { ProvisionedWorkspace, ProvisionOptions } from './provision.js'
export { bubblewrapSandbox } from './sandbox/bubblewrap.js'
export { dockerSandbox } from './sandbox/docker.js'
export { localSandbox } from './sandbox/local.js'
export type { RunLimits, Sandbox, SandboxCommand } from './sandbox/sandbox.js'
export { type Changes, changes, defaultIgnore, type Snapshot, snapshot } from './snapshot.js'
export type { LocalWorkspaceOptions } from './workspace-settings.js'
