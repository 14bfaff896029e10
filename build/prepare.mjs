// What the tests need before they start: what lint says, and the build.
import { passAll, step } from './step.mjs'

const passed = await passAll(step('lint', 'npx', 'biome', 'check', '.'), step('build', 'npm', 'run', 'build'))
process.exitCode = passed ? 0 : 1
