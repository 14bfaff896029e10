import { fileURLToPath } from 'node:url'
import type { AgentTask } from 'jurist'
import type { Spectrum } from './suspicion.js'

const program = fileURLToPath(new URL('./bench/try-mutants.mjs', import.meta.url))

/**
 * Milliseconds after which a mutant counts as one that never ends. Loops are cut by their turns and waiting for nothing is
 * noticed, so this is only for the rest: it is long, lest a busy machine decide.
 */
const limitMs = 10_000

/** Milliseconds for all mutants of a job, for the same reason more than they should ever need. */
const timeoutMs = 1_800_000

/** Programs to try: each gives new texts to some of the sources. */
export interface Job {
  /** Paths of the tests in the workspace. */
  readonly tests: readonly string[]
  readonly mutants: readonly Readonly<Record<string, string>>[]
  /** Whether the sources count what they execute. */
  readonly instrumented: boolean
  /** How often the loops of one test may turn in all before they count as endless. */
  readonly mostTurns: number
}

/** The outcome of one mutant. */
export interface Outcome extends Spectrum {
  readonly index: number
  readonly problem?: string
  /** The most turns of loops that a test took. */
  readonly turns?: number
}

/**
 * Tries mutants in order, up to the first that passes. They run in a process of the
 * workspace, so in its sandbox, and end with the task's signal.
 */
export async function tryMutants({ workspace, signal }: AgentTask, job: Job): Promise<readonly Outcome[]> {
  if (job.mutants.length === 0) return []
  const { stdout, stderr, status } = await workspace.run([process.execPath, program], {
    stdin: { text: JSON.stringify({ ...job, limitMs }) },
    timeoutMs,
    maxOutputBytes: 16 * 1024 * 1024,
    signal,
  })
  signal.throwIfAborted()
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"index":')) // tests may print, too
  if (lines.length === 0) throw new Error(`The mutants could not be tried (${status}): ${stderr.slice(-500)}`)
  return lines.map((line) => ({ hits: {}, ...(JSON.parse(line) as Omit<Outcome, 'hits'>) }))
}
