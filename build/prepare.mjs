// What the tests need before they start. For `npm test`: what lint says, and the build. For `npm run test:long`, on what that has
// built: the projects beside ours (frameworks, an older Vitest, the site, schemas), their types, and what nothing uses.
import { passAll, step } from './step.mjs'

const script = (name) => step(name, 'npm', 'run', name)

const passed =
  process.argv[2] === 'long'
    ? (await script('frameworks')) && (await passAll(script('types'), script('unused')))
    : await passAll(script('lint'), script('build'))
process.exitCode = passed ? 0 : 1
