/**
 * Names for reading configs and files of other tools that the packages of this repository share and users' programs do not
 * need. They change without notice. A command that only reads results loads little more of this package than this.
 */

export type { JudgeScorer } from './calibrate/scorer.js'
export {
  categoryMatchRules,
  exactCategoryMatch,
  exactVerdictMatch,
  numericalTolerance,
  toleranceRules,
} from './calibrate/scorers.js'
export * from './fields.js'
export { missingKeys, modelUsersIn, refuseMissingKeys } from './run/models.js'
