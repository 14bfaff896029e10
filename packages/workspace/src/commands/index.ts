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

export { type BuildSucceeds, buildSucceeds } from './build-succeeds.js'
export type { Canary, CanarySet } from './canaries/canary-plan.js'
export { type ClassVersionOptions, classVersion, javaClassVersion } from './class-version.js'
export type { CommandLine, WordOrOptions } from './command-evidence.js'
export { type CommandOptions, commandSucceeds } from './command-succeeds.js'
export type { BuildOptions } from './command-target.js'
export { type HarborOptions, harborVerifier } from './harbor/harbor-verifier.js'
export { readTestReport } from './reports/read-test-report.js'
export type { TestCase, TestReport } from './reports/test-report.js'
export { type RunningOptions, type SwebenchOptions, swebenchGrade } from './swebench/swebench-grade.js'
export type { Overlay, TestOptions } from './test-options.js'
export type { TestsLock } from './tests-lock.js'
export { type TestsPass, testsPass } from './tests-pass.js'
