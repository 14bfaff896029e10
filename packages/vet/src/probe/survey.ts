import type { ExperimentOptions } from '@jurist/experiment'
import { lookAtItems } from '../items-looked-at.js'
import type { References } from '../reference-agent.js'
import type { Probe } from './probe.js'
import { probeSite, siteFor } from './probe-site.js'

/** What a survey needs. */
export interface SurveyParts {
  readonly experiment: ExperimentOptions
  readonly dataset: ExperimentOptions['dataset']
  readonly probes: readonly Probe[]
  readonly references: References
  readonly asksModels: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Which probes can be tried on which item: an agent looks into the workspace of each item, as the agent under test would get
 * it, and nothing is judged or stored.
 *
 * @returns the names of the probes by item; an item whose workspace cannot be made is missing
 */
export async function survey({
  experiment,
  dataset,
  probes,
  references,
  asksModels,
  signal,
}: SurveyParts): Promise<ReadonlyMap<string, readonly Probe[]>> {
  const found = new Map<string, readonly Probe[]>()
  await lookAtItems({ experiment, dataset, references, signal }, async ({ itemId, task, reference }) => {
    const site = await probeSite({ itemId, task, workspace: task.workspace, reference, asksModels })
    const applicable: Probe[] = []
    for (const probe of probes) {
      // One that cannot say so is tried, so that its error is seen.
      const applies = await Promise.resolve(probe.applies(siteFor(probe, site))).catch(() => true)
      if (applies) applicable.push(probe)
    }
    found.set(itemId, applicable)
  })
  return found
}
