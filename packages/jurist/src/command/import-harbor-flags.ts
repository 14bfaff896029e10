import { flag, oneOf, toggle } from './flags.js'

/** The flags of `jurist import harbor`. */
export const harborFlags = {
  container: flag(
    '--container <program>',
    'harbor: docker or podman, which builds or downloads the image of each task and runs its verifier',
    oneOf(['docker', 'podman'] as const),
  ),
  hostTools: toggle(
    '--host-tools',
    'harbor: run verifiers in bubblewrap with the programs of this machine, where it has what the Dockerfile installs',
  ),
  skipSolution: toggle(
    '--skip-solution',
    'harbor: do not run solution/solve.sh, which makes the right answer of an item',
  ),
}
