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

export { type CopyOptions, checkoutOf, copyOf, emptyDirectory, type GitSource } from './copy.js'
export type { CloneMode } from './copy-tree.js'
export type { EnvironmentPolicy } from './environment.js'
export { type LocalListOptions, type LocalWorkspace, localWorkspace } from './local-workspace.js'
export type { ProvisionedWorkspace, ProvisionOptions } from './provision.js'
export { type BubblewrapOptions, bubblewrapSandbox } from './sandbox/bubblewrap.js'
export { type DockerOptions, dockerSandbox } from './sandbox/docker.js'
export type { NetworkAllowList, NetworkAttempt, RawHost } from './sandbox/egress/allow-list.js'
export { localSandbox } from './sandbox/local.js'
export type { CommandLimits, Launch, Sandbox, SandboxChanges, SandboxCommand, SandboxMount } from './sandbox/sandbox.js'
export { type Changes, changes, defaultIgnore, type Snapshot, type SnapshotEntry, snapshot } from './snapshot.js'
export type { Installed, LocalWorkspaceOptions, WorkspaceLimits } from './workspace-settings.js'
