import type { Experiment, ExperimentOptions } from '@jurist/experiment'
import type { BenchmarkCard } from './card/benchmark-card.js'
import type { VetOptions } from './card/vet.js'
import type { EstablishOptions } from './establish/establish.js'
import type { EstablishReport } from './establish/establish-report.js'
import type { RunMutantsOptions } from './mutate/mutate-options.js'
import type { MutationReport } from './mutate/mutation-report.js'
import type { RunProbesOptions } from './probe/probe-options.js'
import type { ProbeReport } from './probe/probe-report.js'

// The functions that vet a benchmark. Each loads its implementation on its first call: a program that defines a probe
// runs no mutants.

/**
 * Finds out what must hold before anything is measured: the reference of each item passes the experiment's jury every
 * time, no change never does, and certain named tests distinguish them. Makes one run of kind `establish` in the store
 * of the experiment. The first repetitions of an item apply its reference; the others change nothing.
 *
 * If a judge demands the tests of a lock (`expect: 'lock'`), a second run with the tests that were found decides.
 *
 * @throws `option-invalid`; as `runExperiment`
 *
 * @example
 * import { establish } from '@jurist/vet'
 * import { testsPass } from '@jurist/workspace/commands'
 *
 * const { items } = await establish({
 *   name: 'fix',
 *   dataset: 'dataset',
 *   jury: testsPass.npm('test', { overlay: { paths: ['tests', 'package.json'] }, expect: 'lock' }),
 * })
 * for (const { itemId, solvable, trivial, flaky } of items) console.log(itemId, solvable, trivial, flaky)
 */
export async function establish(
  experiment: ExperimentOptions | Experiment,
  options?: EstablishOptions,
): Promise<EstablishReport> {
  return (await import('./establish/establish.js')).establish(experiment, options)
}

/**
 * Runs probes on the items of an experiment, judged by its jury: agents that cheat, an agent that does nothing, and one
 * that applies the right answer. Makes one run of kind `probe` in the store of the experiment, in which each repetition
 * of an item is another probe. Items whose right answer is no change are left out.
 *
 * @returns for each probe, the items on which it passed, and the jury members that passed it
 * @throws `option-invalid`; as `runExperiment`
 *
 * @example
 * import { copyWorkspaces } from '@jurist/experiment'
 * import { runProbes } from '@jurist/vet'
 * import { testsPass } from '@jurist/workspace/commands'
 *
 * const report = await runProbes({
 *   name: 'fix',
 *   dataset: 'dataset',
 *   jury: testsPass.npm('test', { overlay: { paths: ['tests', 'package.json'] } }),
 *   provision: copyWorkspaces({ sandbox: 'auto' }),
 * })
 * for (const { name, passed, remedy } of report.probes) if (passed.length > 0) console.log(name, passed.length, remedy)
 */
export async function runProbes(
  experiment: ExperimentOptions | Experiment,
  options?: RunProbesOptions,
): Promise<ProbeReport> {
  return (await import('./probe/run-probes.js')).runProbes(experiment, options)
}

/**
 * Runs mutants of the references of an experiment's items, judged by its jury: the right answer with one small mistake
 * each. Mutants that the jury passes show what it overlooks. Makes one run of kind `mutate` in the store of the
 * experiment, in which the first repetition of an item is its reference and each further one another mutant.
 *
 * @returns the share that survives, by item and by operator, the members that killed the others, and each survivor
 * @throws `option-invalid`; as `runExperiment`
 *
 * @example
 * import { copyWorkspaces } from '@jurist/experiment'
 * import { runMutants } from '@jurist/vet'
 * import { testsPass } from '@jurist/workspace/commands'
 *
 * const report = await runMutants({
 *   name: 'fix',
 *   dataset: 'dataset',
 *   jury: testsPass.npm('test', { overlay: { paths: ['tests', 'package.json'] } }),
 *   provision: copyWorkspaces({ sandbox: 'auto' }),
 * })
 * console.log(`${report.counts.survived} of ${report.counts.judged} mutants survived`)
 */
export async function runMutants(
  experiment: ExperimentOptions | Experiment,
  options?: RunMutantsOptions,
): Promise<MutationReport> {
  return (await import('./mutate/run-mutants.js')).runMutants(experiment, options)
}

/**
 * Vets a benchmark with `establish`, `runProbes` and `runMutants`, and summarizes the results on one card. Makes three
 * runs in the store of the experiment. If one is interrupted, the next ones do not run. Jury members that cost money
 * never judge mutants here.
 *
 * @throws `option-invalid`, `aborted` if the signal fires between two runs; as `runExperiment`
 *
 * @example
 * import { vet, vetReportText } from '@jurist/vet'
 * import { testsPass } from '@jurist/workspace/commands'
 *
 * const card = await vet({
 *   name: 'fix',
 *   dataset: 'dataset',
 *   jury: testsPass.npm('test', { overlay: { paths: ['tests', 'package.json'] }, minTests: 3 }),
 * })
 * console.log(await vetReportText(card, { format: 'markdown' }))
 */
export async function vet(experiment: ExperimentOptions | Experiment, options?: VetOptions): Promise<BenchmarkCard> {
  return (await import('./card/vet.js')).vet(experiment, options)
}
