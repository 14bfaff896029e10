// What `npm run test:long` runs on what `npm test` has built: the projects beside ours (frameworks, an older Vitest, the site,
// schemas); the long tests, and beside them the types of those projects and what nothing uses; the commands with their results in
// PostgreSQL; other runtimes.
import { existsSync, readdirSync } from 'node:fs'
import { passAll, shown, step } from './step.mjs'

const install = (...projects) =>
  step('packages of the tests', 'node', 'tests/structure/install-fixtures.mjs', ...projects)

/** Debian keeps the programs of a server in a directory for each version; a client alone has such a directory, too. */
function hasPostgres() {
  if (process.env.JURIST_TEST_POSTGRES !== undefined) return true
  const versions = '/usr/lib/postgresql'
  return existsSync(versions) && readdirSync(versions).some((one) => existsSync(`${versions}/${one}/bin/postgres`))
}

const vitest = (mode, ...files) => shown('npx', 'vitest', 'run', '--mode', mode, ...files)

let passed =
  (await install()) &&
  (await passAll(
    vitest('long'),
    step('types of the frameworks', 'npx', 'tsc', '-p', 'packages/bridges/frameworks'),
    step('types of the site', 'npx', 'tsc', '-p', 'site'),
    step('unused code', 'npx', 'knip', '--config', 'build/knip.json'),
  ))
if (passed && !hasPostgres())
  console.log('Results in PostgreSQL are not tested: there is no server. apt-get install postgresql')
else passed &&= await vitest('postgres', 'packages/jurist/tests', 'packages/import/tests')
passed &&= (await install('tests/runtimes')) && (await vitest('runtimes'))
process.exitCode = passed ? 0 : 1
