// What `npm test` does before it starts the tests: it installs the frameworks, builds, and checks types, lint and unused code.
// Each step starts as soon as what it needs is there.
import { step } from './step.mjs'

const script = (name) => step(name, 'npm', 'run', name)

async function passAll(...steps) {
  return (await Promise.all(steps)).every((passed) => passed)
}

async function after(name, ...needed) {
  return (await passAll(...needed)) && (await script(name))
}

const frameworks = script('frameworks')
const build = script('build')
const passed = await passAll(script('lint'), after('unused', frameworks), after('types', frameworks, build))
process.exitCode = passed ? 0 : 1
