/**
 * Judges that run commands in the workspace: builds, tests, anything else.
 *
 * @example
 * import { testsPass } from '@jurist/workspace/commands'
 *
 * // The tests of the reference, in a copy of the workspace: the agent cannot have changed them.
 * const hidden = testsPass.command(['node', '--test'], { overlay: { paths: ['tests'] } })
 */
import '../errors.js'

export { buildSucceeds } from './build-succeeds.js'
export type { Canary, CanarySet } from './canaries/canary-plan.js'
export { javaClassVersion } from './class-file.js'
export { classVersion } from './class-version.js'
export { commandSucceeds } from './command-succeeds.js'
export { harborVerifier } from './harbor/harbor-verifier.js'
export { readTestReport } from './reports/read-test-report.js'
export type { TestReport } from './reports/test-report.js'
export { type SwebenchOptions, swebenchGrade } from './swebench/swebench-grade.js'
export type { TestOptions } from './test-options.js'
export type { TestsLock } from './tests-lock.js'
export { testsPass } from './tests-pass.js'
