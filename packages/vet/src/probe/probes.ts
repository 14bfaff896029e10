import type { Probe } from './probe.js'
import { overfitProbes, processProbes } from './probes/code-under-test.js'
import { leakProbes } from './probes/leak.js'
import { nothingProbes, stateProbes } from './probes/state.js'
import { reportProbes, runnerProbes, testProbes } from './probes/tests.js'
import { wordProbes } from './probes/words.js'

/**
 * The probes of Jurist, in the order of reports.
 *
 * @example
 * import { probes } from '@jurist/vet'
 *
 * console.log(probes.map(({ name }) => name).includes('exit-on-load')) // true
 */
export const probes: readonly Probe[] = Object.freeze([
  ...nothingProbes,
  ...wordProbes,
  ...testProbes,
  ...runnerProbes,
  ...processProbes,
  ...reportProbes,
  ...overfitProbes,
  ...leakProbes,
  ...stateProbes,
])
