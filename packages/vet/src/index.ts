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
export type {
  BenchmarkCard,
  CardCheck,
  CardHole,
  CardMutants,
  CardProbes,
  CardSettings,
  CardSurvivor,
  CardVariants,
  CheckState,
  Share,
} from './card/benchmark-card.js'
export type { VetOptions, VetPlan } from './card/vet.js'
export type { EstablishOptions } from './establish/establish.js'
export type { EstablishedItem, EstablishedTrials, EstablishReport } from './establish/establish-report.js'
export type { ChosenMutant, Closeness } from './mutate/choose-mutants.js'
export type { Construct, ConstructKind, Span, Words } from './mutate/language/construct.js'
export type { MutantMark } from './mutate/mutants.js'
export { type Mutant, type MutantsOptions, mutants } from './mutate/mutants.js'
export type { ProvingProgress, RunMutantsOptions } from './mutate/mutate-options.js'
export type {
  ItemMutants,
  JudgedMutant,
  MutantFate,
  MutantOutcome,
  MutationReport,
  ProvenHole,
  Survival,
} from './mutate/mutation-report.js'
export { defineOperator, type MutationSite, type Operator, operators, type SourceEdit } from './mutate/operators.js'
export { type MutantProof, proofText } from './mutate/prove/mutant-proof.js'
export type { Witness } from './mutate/prove/prover.js'
export type { Input } from './mutate/prove/recorded-inputs.js'
export { readProofs, type StoredProof } from './mutate/prove/stored-proofs.js'
export {
  type StrykerFile,
  type StrykerMutant,
  type StrykerPosition,
  type StrykerReport,
  strykerReport,
} from './mutate/stryker-report.js'
export {
  type Answer,
  defineProbe,
  type Probe,
  type ProbePattern,
  type ProbeSite,
  type ProbeUpstream,
} from './probe/probe.js'
export type { RunProbesOptions } from './probe/probe-options.js'
export type {
  MemberCount,
  ProbeHole,
  ProbeOutcome,
  ProbeReport,
  ProbeRow,
  ReferenceFailure,
} from './probe/probe-report.js'
export { probes } from './probe/probes.js'
export type { FileChange } from './probe/recorded-changes.js'
export { type VetReport, type VetReportTextOptions, vetReportText } from './report-text.js'
export { checkItemSettings, checkTaskDirectory } from './settings/item-settings.js'
export type { TaskSettings } from './settings/task-checks.js'
export type { TaskCheckName, TaskFinding, TaskFindings } from './settings/task-finding.js'
export type { VariantMark } from './variants/choose-variants.js'
export type { HiddenDemand, TriedDemand } from './variants/hidden-demand.js'
export type { LabelledRun } from './variants/labelled-trials.js'
export type { VariantKind } from './variants/variant.js'
export type { ItemVariants, JudgedVariant, VariantOutcome, VariantReport } from './variants/variant-report.js'
export { establish, runMutants, runProbes, vet } from './vetting.js'
