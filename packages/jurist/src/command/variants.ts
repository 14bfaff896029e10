import type { ExperimentOptions } from '@jurist/experiment'
import { usageInvalid } from '../config/problems.js'
import type { RunFlags } from './run-flags.js'
import { unknownAmong } from './unknown-name.js'

/** The variants to run, in the order of their keys; `[]` for an experiment without. */
export function variantsOf({ variants }: ExperimentOptions, read: RunFlags): readonly string[] {
  const known = Object.keys(variants ?? {})
  return read.variants.length === 0 ? known : known.filter((name) => read.variants.includes(name))
}

/** Refuses `--variant` names that the experiment does not have. */
export function checkVariants(experiment: ExperimentOptions, read: RunFlags): void {
  const known = Object.keys(experiment.variants ?? {})
  const unknown = read.variants.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const lines = unknown.map((name) => `${experiment.name} has no variant "${name}".${unknownAmong(name, known)}`)
  throw usageInvalid('--variant', lines.join('\n'))
}
