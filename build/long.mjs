// What `npm run test:long` runs on what `npm test` has built: the projects beside ours (frameworks, an older Vitest, the site,
// schemas), their types and what nothing uses; the long tests; the commands with their results in PostgreSQL; other runtimes.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { passAll, step } from './step.mjs'

const install = (...projects) =>
  step('packages of the tests', 'node', 'tests/structure/install-fixtures.mjs', ...projects)

/** Debian keeps the programs of a server in a directory for each version. */
function hasPostgres() {
  if (process.env.JURIST_TEST_POSTGRES !== undefined) return true
  try {
    return readdirSync('/usr/lib/postgresql').length > 0
  } catch {
    return false
  }
}

const vitest = (mode, ...files) =>
  spawnSync('npx', ['vitest', 'run', '--mode', mode, ...files], { stdio: 'inherit' }).status === 0

const prepared =
  (await install()) &&
  (await passAll(
    step('types of the frameworks', 'npx', 'tsc', '-p', 'packages/bridges/frameworks'),
    step('types of the site', 'npx', 'tsc', '-p', 'site'),
    step('unused code', 'npx', 'knip', '--config', 'build/knip.json'),
  ))
let passed = prepared && vitest('long')
if (passed && !hasPostgres())
  console.log('Results in PostgreSQL are not tested: there is no server. apt-get install postgresql')
else passed &&= vitest('postgres', 'packages/jurist/tests', 'packages/import/tests')
passed &&= (await install('tests/runtimes')) && vitest('runtimes')
process.exitCode = passed ? 0 : 1
