import type { CommandResult, JsonObject, Judgment, Workspace } from '@jurist/core'
import { error, JuristError } from '@jurist/core'
import type { ErrorJudgment } from '@jurist/core/internal'
import { escaped, shortened } from '../quotation.js'
import type { CommandLine } from './command-evidence.js'
import { type ExitCodes, isExpected } from './command-evidence.js'
import { inCopyOf } from './overlay.js'
import { printedLines } from './printed-summary.js'

interface EnvironmentProblem {
  readonly kind: 'tool' | 'network' | 'version'
  /** The missing tool; empty for other kinds. */
  readonly tool: string
  readonly line: string
}

/** Messages of shells, make and env about programs that do not exist. */
const missingTools: readonly RegExp[] = [
  /^(?:\S+: )?(?:line )?(?:\d+: )?([\w.+-]+): (?:command )?not found$/,
  /^make(?:\[\d+\])?: ([\w.+-]+): No such file or directory$/,
  /^(?:\/usr\/bin\/)?env: ['‘]?([\w.+-]+)['’]?: No such file or directory$/,
]
const network =
  /UnknownHostException|Could not resolve host|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Temporary failure in name resolution|Name or service not known|dial tcp: lookup |failed to lookup address|Network is unreachable|NewConnectionError|spurious network error/
const version =
  /requires Maven version|RequireMavenVersion|RequireJavaVersion|Maven Version: .* is not in the allowed range|JDK (?:V|v)ersion .* is not in the allowed range|go\.mod requires go >= |requires rustc \d|requires a different Python|invalid (?:target|source) release: |release version \d+ not supported|Unsupported class file major version/

/**
 * Finds the first problem of the machine in an output. This is not proof, since code under test may have printed it.
 */
function environmentProblem({ stdout, stderr }: CommandResult): EnvironmentProblem | undefined {
  for (const output of [stderr, stdout])
    for (const line of printedLines(output)) {
      const [, tool] = missingTools.map((one) => one.exec(line)).find((found) => found !== null) ?? []
      if (tool !== undefined) return { kind: 'tool', tool, line }
      if (network.test(line)) return { kind: 'network', tool: '', line }
      if (version.test(line)) return { kind: 'version', tool: '', line }
    }
  return undefined
}

/** A command that failed, and how to run it elsewhere. */
export interface FailedRun {
  readonly command: CommandLine
  readonly cwd: string
  readonly result: CommandResult
  readonly workspace: Workspace
  /** Workspaces that the agent did not touch, the most relevant first. */
  readonly originals: readonly (Workspace | undefined)[]
  /** Runs the command again in a copy of another workspace. Returns `undefined` if it could not be started. */
  readonly again: (original: Workspace) => Promise<Attempted | undefined>
  readonly signal: AbortSignal
}
interface Attempted {
  readonly result: CommandResult
  readonly isHealthy: boolean
}

/** Returns a function that runs a command in a copy of another workspace. */
export function runningAgain(
  runsLike: Workspace,
  run: (copy: Workspace) => Promise<CommandResult>,
  expected: ExitCodes,
  signal: AbortSignal,
): FailedRun['again'] {
  return (original) =>
    inCopyOf(original, { runsLike, signal }, async (copy) => {
      const result = await run(copy)
      return { result, isHealthy: result.status === 'exited' && isExpected(result.exitCode, expected) }
    })
}

/**
 * Adds what the machine seems to lack to the judgment on a command that failed.
 *
 * The agent may have caused the output, so the output alone decides nothing: it only goes into the metadata. The
 * judgment is an ERROR only in three cases: the machine itself reports that a program in the user's own command is
 * missing; the command fails in the same way on the reference; or, without one that runs, it fails in the same way on
 * the initial state.
 */
export async function withEnvironment(judgment: Judgment, run: FailedRun): Promise<Judgment> {
  const problem = run.result.status === 'exited' ? environmentProblem(run.result) : undefined
  if (judgment.status !== 'fail' || problem === undefined) return judgment
  const said = shortened(escaped(problem.line.trim()))
  const metadata = { ...judgment.metadata, environmentProblem: said }
  if (await lacksTool(problem, run)) return unfit(`${problem.tool} was not found`, problem, metadata)
  if (await failsAlike(problem, run))
    return unfit(`the machine is not fit for it, also without the agent: ${said}`, problem, metadata)
  return { ...judgment, metadata }
}

function unfit(reason: string, { kind }: EnvironmentProblem, metadata: JsonObject): ErrorJudgment {
  const command = String(metadata['command'])
  const reasoning = shortened(`${command} could not be run: ${reason}`)
  const cause =
    kind === 'tool'
      ? new JuristError('not-started', reasoning, { command })
      : new JuristError('environment-unfit', reasoning, { problem: reason })
  return error(reasoning, cause, { metadata })
}

/** Whether a shell line of the user names the program, and the machine does not have it. */
async function lacksTool({ kind, tool }: EnvironmentProblem, { command, cwd, result, workspace, signal }: FailedRun) {
  if (kind !== 'tool' || typeof command !== 'string' || result.exitCode !== 127 || !programsOf(command).includes(tool))
    return false
  const { status, exitCode } = await workspace.run(['sh', '-c', 'command -v "$1"', 'sh', tool], { cwd, signal })
  return status === 'exited' && exitCode !== 0
}

/** Finds the programs that a shell line starts by their bare names. */
function programsOf(line: string): readonly string[] {
  return line.split(/&&|\|\||[;|&(\n]/).flatMap((part) => {
    const words = part.trim().split(/\s+/)
    const program = words.find((word) => !/^(?:\w+=.*|exec|time|env|command|!|\{)$/.test(word))
    return program === undefined ? [] : [program]
  })
}

async function failsAlike(problem: EnvironmentProblem, run: FailedRun): Promise<boolean> {
  const { originals, again, signal } = run
  for (const original of new Set(originals)) {
    if (original?.root === undefined) continue
    try {
      const attempted = await again(original)
      if (attempted?.isHealthy) return false
      const same = attempted && environmentProblem(attempted.result)
      if (same?.kind === problem.kind && same.tool === problem.tool) return true
    } catch (thrown) {
      signal.throwIfAborted()
      if (!(thrown instanceof JuristError)) throw thrown
    }
  }
  return false
}
