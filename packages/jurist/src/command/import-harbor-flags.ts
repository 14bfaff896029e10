import { toggle } from './flags.js'

/** The flags of `jurist import harbor`. */
export const harborFlags = {
  hostTools: toggle(
    '--host-tools',
    'harbor: run verifiers in bubblewrap with the programs of this machine, where it has what the Dockerfile installs',
  ),
  skipSolution: toggle(
    '--skip-solution',
    'harbor: do not run solution/solve.sh, which makes the right answer of an item',
  ),
}
