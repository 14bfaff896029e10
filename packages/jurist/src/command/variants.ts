import type { ExperimentOptions } from '@jurist/experiment'
import { usageInvalid } from '../config/problems.js'
import type { RunFlags } from './run-flags.js'
import { unknownAmong } from './unknown-name.js'

/** The variants to run, in the order of their keys; `[]` for an experiment without. */
export function variantsOf({ variants }: ExperimentOptions, read: RunFlags): readonly string[] {
  const known = Object.keys(variants ?? {})
  return read.variants.length === 0 ? known : known.filter((name) => read.variants.includes(name))
}

/** Refuses `--variant` names that the experiment does not have, and flags of sessions where it has no variants. */
export function checkVariants(experiment: ExperimentOptions, read: RunFlags): void {
  const known = Object.keys(experiment.variants ?? {})
  for (const [flag, value] of Object.entries({
    '--session': read.session,
    '--sweep': read.sweep,
    '--order': read.order,
  }))
    if (value !== undefined && known.length === 0)
      throw usageInvalid(flag, `${flag} is for variants, and ${experiment.name} has none. Leave it out.`)
  const unknown = read.variants.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const lines = unknown.map((name) => `${experiment.name} has no variant "${name}".${unknownAmong(name, known)}`)
  throw usageInvalid('--variant', lines.join('\n'))
}
