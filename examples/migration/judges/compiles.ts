import { fileURLToPath } from 'node:url'
import type { Judge, Judgment, Workspace } from 'jurist'
import { abstain, commandSucceeds, fail, runJudge } from 'jurist'
import { javaSources } from '../java-sources.js'

/** Just enough of the jakarta packages to compile against, so that nothing has to be downloaded. */
export const stubs = fileURLToPath(new URL('../stubs', import.meta.url))
const javac = ['javac', '-J-Duser.language=en', '--release', '17'] as const
// Annotation processors would run code of the workspace inside the compiler.
const options = ['-proc:none', '-implicit:none', '-encoding', 'UTF-8', '--class-path', stubs, '-d', 'target/classes']

/**
 * Passes when plain `javac` compiles the sources for Java 17. Abstains where there is no JDK that can: that is not the
 * agent's fault, and later tiers may still decide.
 */
export const compiles: Judge = async function compiles(context) {
  const { workspace, signal } = context
  const obstacle = await obstacleTo(workspace, signal)
  if (obstacle !== undefined) return abstain(`not compiled: ${obstacle}`)
  const sources = await javaSources(workspace)
  if (sources.length === 0) return fail('there is no Java source')
  const command = [...javac, ...options, ...sources.map((path) => `./${path}`)]
  return withFirstError(await runJudge(commandSucceeds(command), context))
}

/** The same judgment, but a fail says what the compiler said first. */
function withFirstError(judgment: Judgment): Judgment {
  if (judgment.status !== 'fail') return judgment
  const { checks, metadata, reasoning } = judgment
  const [said = reasoning] = /^.*: error: .*$/m.exec(String(metadata['output'])) ?? []
  return fail(said, { checks, metadata })
}

/** What keeps this machine from compiling for Java 17, if anything does. */
async function obstacleTo(workspace: Workspace, signal: AbortSignal): Promise<string | undefined> {
  const { status, exitCode } = await workspace.run([...javac, '-version'], { signal })
  signal.throwIfAborted()
  if (status !== 'exited') return 'javac is missing'
  return exitCode === 0 ? undefined : 'javac is too old for Java 17'
}
