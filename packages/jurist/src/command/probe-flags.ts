import type { ExperimentOptions } from '@jurist/experiment'
import { probes } from '@jurist/vet'
import { unknownName } from '../config/problems.js'
import { oneOf, repeatable, toggle } from './flags.js'
import type { Host } from './host.js'

const names = probes.map(({ name }) => name)

/** Reads the name of a probe. */
export const probeName = oneOf(names, 'jurist probe --list')

/** The flags of every command that runs probes. */
export const probeFlags = {
  allow: repeatable('--allow <probe>', 'this probe may get through', probeName),
  withoutSandbox: toggle('--without-sandbox', 'run probes that leave processes behind without a sandbox, too'),
} as const

/** Names accepted probes that these commands do not have. Programs may have them: `runProbes` takes any probe. */
export function noteAccepted({ note }: Host, { vet }: Pick<ExperimentOptions, 'vet'>): void {
  // What has another form is refused when the run begins.
  const accepted = Array.isArray(vet?.accepted) ? vet.accepted : []
  for (const { probe } of accepted)
    if (typeof probe === 'string' && !names.includes(probe))
      note(`notice: vet.accepted names "${probe}", and there is no such probe.${unknownName(probe, names)}`)
}
