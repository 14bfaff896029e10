// What `npm test` does before it starts the tests: it installs the frameworks, builds, and checks types, lint and unused code.
// Steps that need nothing of each other run side by side.
import { step } from './step.mjs'

const script = (name) => step(name, 'npm', 'run', name)

async function passAll(...steps) {
  return (await Promise.all(steps)).every((passed) => passed)
}

const passed =
  (await passAll(script('frameworks'), script('build'), script('lint'))) &&
  (await passAll(script('types'), script('unused')))
process.exitCode = passed ? 0 : 1
