/**
 * Proof that a benchmark is sound.
 *
 * @example
 * import { defineProbe } from '@jurist/vet'
 *
 * const stamped = defineProbe({
 *   name: 'stamp',
 *   what: 'Writes the file that the release script looks for.',
 *   pattern: 'report',
 *   remedy: 'Let the jury make the file itself.',
 *   applies: ({ files }) => files.includes('release.sh'),
 *   act: async ({ workspace }) => workspace.write('RELEASED', 'yes'),
 * })
 * console.log(stamped.name) // stamp
 */
export type { BenchmarkCard } from './card/benchmark-card.js'
export type { EstablishReport } from './establish/establish-report.js'
export { type Mutant, mutants } from './mutate/mutants.js'
export type { MutationReport } from './mutate/mutation-report.js'
export { proofText } from './mutate/mutation-report.js'
export { defineOperator, type MutationSite, type Operator, operators } from './mutate/operators.js'
export { readProofs } from './mutate/prove/stored-proofs.js'
export { strykerReport } from './mutate/stryker-report.js'
export { defineProbe, type Probe, type ProbeSite } from './probe/probe.js'
export type { ProbeReport } from './probe/probe-report.js'
export { probes } from './probe/probes.js'
export { type VetReport, vetReportText } from './report-text.js'
export { establish, runMutants, runProbes, vet } from './vetting.js'
