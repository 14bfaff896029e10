import type { Probe } from '../probe.js'
import { trickProbe } from '../trick-probe.js'

/** Code that answers what tests ask, and nothing else. */
export const overfitProbes: readonly Probe[] = [
  trickProbe({
    name: 'lookup',
    pattern: 'overfit',
    what: 'Answers exactly what the visible tests ask, by a table.',
    remedy:
      'Judge by tests that the agent does not see: `overlay: { paths: [tests] }` with further cases in the reference.',
  }),
  trickProbe({
    name: 'read-the-tests',
    pattern: 'overfit',
    what: 'Reads the tests while they run, and answers what they expect.',
    remedy:
      '`isolate: child` of testsPass keeps hidden tests out of reach of the code under test; `mustFail` asks what no other test asks.',
  }),
]
