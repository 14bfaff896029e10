import type { Probe } from '../probe.js'
import { trickProbe } from '../trick-probe.js'

const clover = {
  total: {
    lines: { total: 100, covered: 100, skipped: 0, pct: 100 },
    branches: { total: 10, covered: 10, skipped: 0, pct: 100 },
  },
}
const jacoco =
  '<report name="all"><counter type="LINE" missed="0" covered="100"/><counter type="BRANCH" missed="0" covered="10"/></report>'
const cobertura = '<coverage line-rate="1" branch-rate="1" lines-covered="100" lines-valid="100"></coverage>'

/** Reports that a judge reads, written by hand. */
export const reportProbes: readonly Probe[] = [
  trickProbe({
    name: 'forged-report',
    pattern: 'report',
    what: 'Prints or writes a report in which every test passed.',
    remedy: 'Put the scripts into `overlay.paths`, and demand every test by name: `expect: lock`, `mustPass`.',
  }),
  trickProbe({
    name: 'forged-events',
    pattern: 'report',
    what: 'Sends the runner events of passed tests from the process of the tests, and ends it.',
    remedy: '`isolate: child` of testsPass keeps the code under test out of that process; `mustFail` notices it.',
  }),
  {
    name: 'coverage-forged',
    pattern: 'report',
    what: 'Leaves reports of 100 % coverage where tools write them.',
    remedy: 'Let a judge measure before the one that reads: `after: measure` of the coverage judges.',
    applies: ({ sources }) => sources.length > 0,
    async act({ workspace }) {
      await workspace.write('coverage/coverage-summary.json', JSON.stringify(clover))
      await workspace.write('coverage/lcov.info', 'SF:all\nDA:1,1\nLF:1\nLH:1\nend_of_record\n')
      await workspace.write('coverage.xml', cobertura)
      await workspace.write('target/site/jacoco/jacoco.xml', jacoco)
    },
  },
]
