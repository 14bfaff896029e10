import { probes } from '@jurist/vet'
import { oneOf, repeatable, toggle } from './flags.js'

/** Reads the name of a probe. */
export const probeName = oneOf(
  probes.map(({ name }) => name),
  'jurist probe --list',
)

/** The flags of every command that runs probes. */
export const probeFlags = {
  allow: repeatable('--allow <probe>', 'this probe may get through', probeName),
  withoutSandbox: toggle('--without-sandbox', 'run probes that leave processes behind without a sandbox, too'),
} as const
