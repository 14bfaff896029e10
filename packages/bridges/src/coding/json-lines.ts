import { isPlainObject } from '@jurist/core/internal'
import type { RunOutcome } from '../context/outcome.js'
import { textWithoutSecrets } from '../run/secrets.js'
import type { CodingCall } from './coding-run.js'
import { lastLine, protocolFailure } from './failures.js'
import type { WorkspaceCommand } from './workspace-command.js'
import { badEnding, runInWorkspace } from './workspace-command.js'

/** One record that a program wrote. */
interface OutputRecord {
  readonly [key: string]: unknown
}

/** What a program wrote, line by line, and how it ended. */
export interface LinesRead {
  readonly messages: readonly OutputRecord[]
  /** How the run ended, should the messages not say it. */
  readonly ending: Pick<RunOutcome, 'status' | 'failure'>
}

const maxOutputBytes = 67_108_864
const maxNoise = 200

/** Runs an agent's program in the workspace and reads its lines; what is no record goes to the journal. */
export async function runLines(
  call: CodingCall,
  command: Omit<WorkspaceCommand, 'maxOutputBytes'>,
): Promise<LinesRead> {
  const result = await runInWorkspace(call, { ...command, maxOutputBytes })
  const { stdout, truncated } = result
  const stderr = textWithoutSecrets(result.stderr, call.secrets)
  if (truncated) call.warnings.push('transcript-truncated')
  const lines = stdout.split('\n').filter((line) => line.trim() !== '')
  const messages = lines.flatMap((line) => recordIn(line) ?? noise(call, line))
  if (stderr.trim() !== '') call.write({ type: 'custom', name: `${call.prefix}.stderr`, data: stderr })
  const failure = protocolFailure('it ended without a result', lastLine(stderr))
  const bad = badEnding({ ...result, stderr }, command.words[0] ?? 'the agent', [0])
  const isExit = result.status === 'exited'
  return { messages, ending: bad === undefined || isExit ? { status: 'failed', failure } : bad }
}

function recordIn(line: string): OutputRecord | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isPlainObject(value) ? (value as OutputRecord) : undefined
  } catch {
    return undefined
  }
}

function noise({ prefix, write, warnings, secrets }: CodingCall, line: string): readonly OutputRecord[] {
  if (!warnings.includes('output-not-json')) warnings.push('output-not-json')
  write({ type: 'custom', name: `${prefix}.noise`, data: textWithoutSecrets(line, secrets).slice(0, maxNoise) })
  return []
}
