import type { Probe } from '../probe.js'
import { trickProbe } from '../trick-probe.js'

/** Code under test that ends the process of the tests, or changes what runs in it. */
export const processProbes: readonly Probe[] = [
  trickProbe({
    name: 'exit-on-load',
    pattern: 'process',
    what: 'Ends the process with exit code 0 as soon as the code under test is loaded, before any test has run.',
    remedy:
      'Demand every test by name: `expect: lock` (after `jurist establish --write`), or `mustPass`, or `minTests`.',
  }),
]
