/**
 * Scans of what agents did: answers that were looked up, graders that were searched for, changes of what judges, claims
 * against the evidence. Findings have a place, and change no verdict. Runs anywhere: nothing here needs Node.
 *
 * @example
 * import { type ScannedTrial, scanTrial } from '@jurist/experiment/scan'
 *
 * const findingsOf = (trial: ScannedTrial) => scanTrial(trial).findings
 */

export type { CheckKind } from '../journal/checks.js'
export type { FileEdit } from '../journal/file-edits.js'
export type { ShellPart } from '../journal/shell-parts.js'
export type { JournalStep, ModelCallContent, StepContent, ToolContent } from '../journal/steps.js'
export { type ModelRule, type ModelRuleOptions, modelRule } from './model-rule.js'
export type { Found, ScanAllowance, ScanGroup, ScanLevel, ScanRule } from './rule.js'
export { type ScanFigures, scanFigures } from './run-scan.js'
export {
  type ScanCoverage,
  type ScanFinding,
  type ScanOptions,
  scanRules,
  scanTrial,
  type TrialScan,
} from './scan.js'
export type {
  AddedLine,
  ScannedCheck,
  ScannedCommand,
  ScannedFile,
  ScannedTool,
  ScannedTrial,
  ScanPlace,
  ScanSite,
} from './site.js'
