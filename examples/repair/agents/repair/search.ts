import type { AgentTask } from 'jurist'
import { tryMutants } from './bench.js'
import { localise } from './localise.js'
import type { Mutant } from './mutants.js'
import { pairs, singles, textsOf } from './mutants.js'
import { seeded } from './random.js'
import type { Source } from './syntax.js'

/** The program under repair, and how much may be spent on it. */
export interface Search {
  readonly sources: readonly Source[]
  /** Paths of the tests in the workspace. */
  readonly tests: readonly string[]
  /** How many mutants may be tried. Time plays no part: a busy machine finds what an idle one finds. */
  readonly mostMutants: number
  readonly seed: number
}

/** A mutant that passes, with how many were tried before it. */
export interface Find {
  readonly mutant: Mutant
  readonly tried: number
}

const mostPairs = 1_000

/** The program that is given may turn in loops this often. */
const mostTurns = 100_000

/** How often a mutant may: much more often than the program did, unless that was endless itself. */
function patience(turns: number): number {
  return turns >= mostTurns ? mostTurns / 10 : Math.max(20 * turns, 2_000)
}

/**
 * Looks for a change, then for two changes, that make the tests pass. Yields each mutant that passes; the caller goes
 * on asking while it is not content. Returns how many mutants were tried.
 */
export async function* search(task: AgentTask, options: Search): AsyncGenerator<Find, number> {
  const { sources, tests, mostMutants, seed } = options
  const baseline = await localise(task, sources, { tests, mostTurns })
  if (baseline.outcome.failed.length === 0) throw new Error('The tests fail only in a process of their own.')
  const given = Object.fromEntries(sources.map(({ path, text }) => [path, text]))
  const common = { tests, instrumented: false, mostTurns: patience(baseline.outcome.turns ?? 0) }
  let tried = 0
  const improved = new Set<Mutant>()

  async function* attempt(phase: string, mutants: readonly Mutant[]): AsyncGenerator<Find> {
    for (let from = 0; from < mutants.length && tried < mostMutants; ) {
      const rest = mutants.slice(from, from + mostMutants - tried)
      const id = `${phase} from ${from}`
      task.record?.({ type: 'tool-call', id, name: 'try-mutants', input: { phase, count: rest.length } })
      const job = { ...common, mutants: rest.map((mutant) => ({ ...given, ...textsOf(mutant) })) }
      const outcomes = await tryMutants(task, job)
      tried += outcomes.length
      from += outcomes.length
      for (const { index, passed } of outcomes)
        if (passed.length > baseline.outcome.passed.length && rest[index] !== undefined) improved.add(rest[index])
      const content = `${outcomes.length} of ${rest.length} tried, ${improved.size} made more tests pass`
      task.record?.({ type: 'tool-result', id, failed: false, content })
      const last = outcomes.at(-1)
      const found = last?.failed.length === 0 ? rest[last.index] : undefined
      if (found === undefined) return
      yield { mutant: found, tried }
    }
  }

  const random = seeded(seed)
  const alone = singles(sources, baseline.suspicion, random)
  yield* attempt('one change', alone)
  yield* attempt('two changes', pairs(alone, improved, mostPairs))
  return tried
}
