import type { AgentTask } from 'jurist'
import type { Job, Outcome } from './bench.js'
import { tryMutants } from './bench.js'
import { instrument } from './statements.js'
import { suspicionOf, suspicions } from './suspicion.js'
import type { Node, Source } from './syntax.js'

/** How a program does before anything is changed, and where the fault may lie. */
export interface Localised {
  readonly outcome: Outcome
  readonly suspicion: (source: Source, node: Node) => number
}

/** How many suspicious places are reported. */
const told = 5

/** Runs a program once, with counting statements, to see what its failing tests execute. */
export async function localise(
  task: AgentTask,
  sources: readonly Source[],
  limits: Pick<Job, 'tests' | 'mostTurns'>,
): Promise<Localised> {
  const { statements, sources: counting } = instrument(sources)
  const mutant = Object.fromEntries(counting.map(({ path, text }) => [path, text]))
  const [outcome] = await tryMutants(task, { ...limits, mutants: [mutant], instrumented: true })
  if (outcome === undefined) throw new Error('The tests could not be run.')
  const wasCut = Object.values(outcome.hits).every((reached) => reached.length === 0)
  const suspicion = wasCut ? statements.map(() => 1) : suspicions(statements.length, outcome)
  const suspects = statements
    .map(({ path, line }, index) => ({ place: `${path}:${line}`, suspicion: suspicion[index] ?? 0 }))
    .sort((a, b) => b.suspicion - a.suspicion)
  task.record?.({ type: 'custom', name: 'suspects', data: suspects.slice(0, told) })
  return { outcome, suspicion: (source, node) => suspicionOf(source, node, statements, suspicion) }
}
