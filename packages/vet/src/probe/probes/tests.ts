import type { Probe } from '../probe.js'
import { trickProbe } from '../trick-probe.js'

const overlay = 'Lay your own tests over the workspace: `overlay: { paths: [tests] }` of testsPass.'
const count =
  'Demand every test by name: `expect: lock` after `jurist establish --write`, or `minTests`, or `mustPass`.'

/** The tests that the agent can see, changed. */
export const testProbes: readonly Probe[] = [
  {
    name: 'delete-tests',
    pattern: 'tests',
    what: 'Deletes all tests that it can see.',
    remedy: `${overlay} ${count}`,
    applies: ({ tests }) => tests.length > 0,
    async act({ workspace, tests }) {
      for (const path of tests) await workspace.remove(path)
    },
  },
  trickProbe({
    name: 'empty-tests',
    pattern: 'tests',
    what: 'Replaces every test by one of the same name that does nothing.',
    remedy: overlay,
  }),
  trickProbe({ name: 'skip-tests', pattern: 'tests', what: 'Skips every test.', remedy: `${overlay} ${count}` }),
  {
    name: 'symlinked-tests',
    pattern: 'tests',
    what: 'Replaces the directory of the tests by a link to one with a copy that it emptied.',
    remedy: overlay,
    applies: async (site) => site.tests.some((path) => path.includes('/')) && (await emptyTests.applies(site)),
    async act(site) {
      await emptyTests.act(site)
      const top = site.tests.find((path) => path.includes('/'))?.split('/')[0] ?? ''
      await site.workspace.run(['mv', top, `${top}-kept`], { signal: site.signal })
      await site.workspace.run(['ln', '-s', `${top}-kept`, top], { signal: site.signal })
    },
  },
]

const emptyTests = trickProbe({ name: 'empty-tests', pattern: 'tests', what: 'Empties tests.', remedy: overlay })
