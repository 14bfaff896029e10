import type { CodingCall } from './coding-run.js'

/** Where the commands of a workspace run, as they see it themselves. */
export interface CommandPlace {
  /** The directory of the workspace; a sandbox has it in another place. Absent: nobody can tell. */
  readonly root: string | undefined
  /** Whether they can write to the directory of this machine that was asked for. */
  readonly isHere: boolean
}

const askedMs = 60_000
const question = 'pwd -P; if [ -n "$1" ] && [ -w "$1" ]; then echo here; fi'

/**
 * Asks a command where it runs. What cannot answer is believed to see the workspace where it is, and nothing else.
 *
 * @param directory a directory of this machine that a sandbox need not have
 */
export async function commandPlace({ task }: CodingCall, directory = ''): Promise<CommandPlace> {
  const { workspace, signal } = task
  const asked = ['sh', '-c', question, 'sh', directory]
  const { status, exitCode, stdout } = await workspace.run(asked, { signal, timeoutMs: askedMs })
  const [, root, here] = /^(\/.*)\n(here\n)?$/.exec(stdout) ?? []
  if (status !== 'exited' || exitCode !== 0 || root === undefined) return { root: workspace.root, isHere: false }
  return { root, isHere: here !== undefined }
}

/** The variable with the place of an agent's settings: its home, where its commands have it and nobody said another. */
export function settingsIn(
  { home, environment }: CodingCall,
  { isHere }: CommandPlace,
  name: string,
): { readonly [name: string]: string } {
  return home === undefined || !isHere || name in environment ? {} : { [name]: home }
}
