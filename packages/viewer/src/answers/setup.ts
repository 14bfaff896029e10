import type { RunSetup } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'

/** How a run was set up: small enough to be cached for every run of an experiment. */
export function setupOf({ id, kind, lineage, conditions, configuration, code, dataset, jury }: RunResult): RunSetup {
  const { variedConditions } = configuration
  const varied = variedConditions === undefined ? {} : { variedConditions }
  return { id, kind, lineage, conditions, configuration: varied, code, dataset, jury }
}
