/** Names that the packages of this repository share and users' programs do not need. They change without notice. */

export type { JudgesCalibration } from './calibrate/calibrate-judges.js'
export {
  judgeComparisons,
  labelProblems,
  notesOnLabels,
  type PlannedJudges,
  plannedJudges,
  severalJudgesRules,
} from './calibrate/calibrate-judges.js'
export { calibrateRules, withinBudget } from './calibrate/calibrate-options.js'
export { recordedRules } from './calibrate/recorded.js'
export type { CascadeDisagreement } from './certify/cascade-calibration.js'
export { cascadeRules } from './certify/cascade-options.js'
export { certificateUses } from './certify/certificate-use.js'
export type { CascadeTier } from './certify/certified-cascade.js'
export { renewCertificates } from './certify/certified-cascade.js'
export { isCascadeCalibration } from './certify/stored-cascade.js'
export { type DatasetPath, isDatasetPath, pathOf, withPath } from './dataset/dataset.js'
export { gitState } from './dataset/git-state.js'
export { canonicalJson } from './dataset/hash.js'
export { openFrom, validateDataset } from './dataset/open-dataset.js'
export { refuseErrors } from './dataset/problem.js'
export {
  endOf,
  expiredProblems,
  type Quarantine,
  quarantineFile,
  readQuarantine,
  tooManyProblems,
} from './dataset/quarantine.js'
export { changedItems } from './dataset/read-dataset.js'
export { readCsv, readJsonLines } from './dataset/row-file.js'
export { type ExplainedFinding, explainedRun, explainedTrials } from './diagnose/explained-trial.js'
export { checkKinds } from './journal/checks.js'
export { programName, type ShellPart, shellParts } from './journal/shell-parts.js'
export { journalFile, openJournal, type StoredJournal } from './journal/stored-journal.js'
export type { RunCalibration } from './label/calibrate-run.js'
export { estimateLines, nextLabels, trueRateGate } from './label/estimate-run.js'
export { labelFrom } from './label/label.js'
export { type LabelPlace, labelsInFile, labelsInStore } from './label/label-file.js'
export {
  type LabelPass,
  type LabelRow,
  labelRows,
  type PassProgress,
  passLabels,
  passProgress,
  type ShownTrial,
  shownTrial,
} from './label/label-pass.js'
export { labelOf } from './label/labelled-trials.js'
export {
  itemsForPopulation,
  type Lift,
  type LiftArm,
  type LiftRatio,
  liftFacts,
  liftOf,
  powerWithin,
} from './lift/lift.js'
export { type TriggerSide, type Triggers, triggersOf } from './lift/triggers.js'
export { type KeptFiles, wholeWorkspace } from './provision/kept-changes.js'
export { type Solution, solutionOf } from './provision/solution.js'
export { setupRules } from './provision/workspace-options.js'
export { isJudgedAgain } from './rejudge/rejudge-trial.js'
export { storedItem } from './rejudge/stored-trial.js'
export { certificateLines, certificationSections } from './report/content/certification.js'
export {
  type ColumnOf,
  consoleSections,
  htmlPage,
  lineSection,
  markdownSections,
  type Section,
  valuesSection,
} from './report/sections.js'
export { gainPValue } from './result/statistics/answer-tree.js'
export { lossTest, withTrial } from './result/statistics/change-point.js'
export { incompleteBeta } from './result/statistics/distributions.js'
export { sampleOf, seededRandom } from './result/statistics/random.js'
export type { LinePart } from './result/trial-figures.js'
export { cancellation } from './run/cancellation.js'
export { openedDataset, storeOf } from './run/check-run.js'
export { stopText } from './run/decide.js'
export { withMatrix } from './run/define-experiment.js'
export { certificatesOf, isUncertified } from './run/describe-jury.js'
export type { TrialPhase } from './run/events.js'
export {
  datasetPathSchemas,
  experimentJsonSchemas,
  experimentReference,
  filterJsonSchema,
  jsonSchemaOf,
  type OptionEntry,
  sentence,
} from './run/experiment-reference.js'
export { type FittingRun, fitRun } from './run/fit-run.js'
export { itemMember, judgesProblems } from './run/item-juries.js'
export { statusOf } from './run/open-run.js'
export type { Plan } from './run/plan.js'
export { itemDurations, patiently } from './run/queued-run.js'
export { newestUnfinished } from './run/resume.js'
export { contextOfRun, type PriorAttempt, type RunContext } from './run/run-context.js'
export type { Distribution } from './run/run-options.js'
export { abandonedTrial, runTrial } from './run/run-trial.js'
export { storedStops } from './run/sequential-run.js'
export { noteRuns, type SessionPlan, sessionPlanOf } from './run/session-plan.js'
export { missingOutputs, recordedAgent } from './run/stored-outputs.js'
export { type ShardOptions, shardOfEach, shardText, type Trial, type TrialPlan } from './run/trials.js'
export {
  isSettled,
  type KeptTrialScan,
  keepScan,
  rulesHash,
  type Settlement,
  scanHash,
  scanKept,
  settlementsKept,
  trialScansKept,
} from './scan/findings-kept.js'
export { withModelRules } from './scan/model-rule.js'
export { datasetDirectory } from './store/dataset-directory.js'
export { replaceFile } from './store/disk.js'
export { type SavedLines, saveLines } from './store/file-save.js'
export { lastSignOf, takeLock } from './store/lock.js'
export { checkRunId, runLocked } from './store/names.js'
export { headOf, plannedTrials } from './store/run-head.js'
export { linePartsOf } from './store/stored-run.js'
export { endedRow, itemsFrom, manifestIn, runningRow, trialRow } from './store-kit/read-runs.js'
