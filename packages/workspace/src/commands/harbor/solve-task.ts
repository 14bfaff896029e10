import { cpSync } from 'node:fs'
import { localWorkspace } from '../../local-workspace.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { LocalWorkspaceOptions } from '../../workspace-settings.js'
import { scriptCommand } from './harbor-verifier.js'
import { type Placing, placed } from './verifier-place.js'

/** How the solution of a task is run. */
export interface Solving extends Omit<Placing, 'scripts'> {
  /** What an agent begins with. */
  readonly before: string
  /** The directory to make, with what the solution leaves of the workspace. */
  readonly to: string
  /** A container; default: bubblewrap, with `hostTools`. */
  readonly sandbox?: Sandbox
  readonly env: { readonly [name: string]: string }
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Runs `solution/solve.sh` as the reference agent. Returns why it failed; `undefined` when it did not. */
export async function solveTask(solving: Solving): Promise<string | undefined> {
  const { before, to, sandbox = 'none', env, timeoutMs, signal, workdir } = solving
  const placing = { ...solving, scripts: { from: 'solution', at: '/solution' } } as const
  const settings: LocalWorkspaceOptions = { sandbox }
  await using workspace = localWorkspace(before, settings)
  await using scene = await placed(workspace, placing, settings, signal)
  const command = scriptCommand('/solution/solve.sh', scene.sandbox.isolation, [workdir, '/solution', '/logs'])
  const options = { timeoutMs, env: { ...scene.env, ...env }, signal }
  const { status, exitCode, stderr, stdout, failure } = await scene.copy.run(command, options)
  signal.throwIfAborted()
  if (status !== 'exited' || exitCode !== 0) {
    const said = `${stdout}\n${stderr}`.trim().split('\n').at(-1)?.trim() ?? ''
    return (
      failure?.message ?? `${status === 'exited' ? `exit code ${exitCode}` : status}${said === '' ? '' : `: ${said}`}`
    )
  }
  cpSync(scene.copy.root, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return undefined
}
