/**
 * Names for showing journals that the packages of this repository share and users' programs do not need. They change
 * without notice. Runs anywhere: nothing here needs Node.
 */
export type { FileEdit } from './journal/file-edits.js'
export { isJournalHeader, journalLines, phaseEvents } from './journal/journal-events.js'
export { figuresText, isToolStep, journalFigures, stepSummary, stepWord, turnFigures } from './journal/step-words.js'
export { type JournalStep, journalSteps, type StepContent, stepReader, type ToolContent } from './journal/steps.js'
export { withoutWorkspace } from './journal/tool-calls.js'
export {
  evidenceBesidePlace,
  isDoubted,
  type KeptFinding,
  type KeptScan,
  keptScanOf,
  placeText,
} from './scan/finding-text.js'
export { notSeen, type RunScan, runScan, scannedRules, suspectsText } from './scan/run-scan.js'
