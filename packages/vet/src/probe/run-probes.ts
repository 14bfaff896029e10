import { JuristError } from '@jurist/core'
import {
  copyWorkspaces,
  type Dataset,
  type Experiment,
  type ExperimentOptions,
  runExperiment,
} from '@jurist/experiment'
import { changedItems } from '@jurist/experiment/internal'
import { checkedDataset } from '../checked-dataset.js'
import { derivedExperiment } from '../derived-experiment.js'
import { type FreeJudging, freeJudging, hasPaidMembers } from '../free-members.js'
import { refuseStopped } from '../items-looked-at.js'
import { rememberedReferences } from '../reference-agent.js'
import { probeAgent } from './probe-agent.js'
import { checkedOptions, type ProbeChoice, probeChoice, type RunProbesOptions } from './probe-options.js'
import { type ItemPlan, nameOf, planFor, type TriedItems, triedItems } from './probe-plan.js'
import type { ProbeReport } from './probe-report.js'
import { reportOf } from './report-of.js'
import { survey } from './survey.js'

/** The work of `runProbes` of `vetting.ts`. */
export async function runProbes(
  experiment: ExperimentOptions | Experiment,
  options?: RunProbesOptions,
): Promise<ProbeReport> {
  const given = checkedOptions(options)
  const provision = experiment.provision ?? copyWorkspaces()
  const isolation = (await provision.isolation?.()) ?? 'undeclared'
  const choice = probeChoice(given, isolation)
  const dataset = await checkedDataset(experiment)
  const tried = await triedItems(dataset.items(experiment.filter))
  if (tried.items.size === 0) refuseEmpty(dataset)
  const filtered = { ...experiment, filter: { id: [...tried.items.keys()], status: 'any' }, provision } as const
  const judging = given.free === true ? freeJudging(filtered) : undefined
  const scene = { experiment: judging?.experiment ?? filtered, dataset, tried, choice, judging, options: given }
  const { result, plans } = await runPlanned(scene)
  return reportOf({
    result,
    plans,
    choice,
    isolation,
    noChangeItems: tried.noChange,
    skippedMembers: judging?.skipped() ?? [],
    accepted: new Map([
      ...(experiment.vet?.accepted ?? []).map(({ probe, reason }) => [probe, reason] as const),
      ...(given.allow ?? []).map((name) => [name, 'allowed for this run'] as const),
    ]),
  })
}

interface Scene {
  readonly experiment: ExperimentOptions
  readonly dataset: Dataset
  readonly tried: TriedItems
  readonly choice: ProbeChoice
  readonly judging: FreeJudging | undefined
  readonly options: RunProbesOptions
}

async function runPlanned({ experiment, dataset, tried, choice, judging, options }: Scene) {
  const { signal, onEvent, resume } = options
  const asksModels = experiment.jury !== undefined && hasPaidMembers(experiment.jury)
  const references = rememberedReferences(experiment.provision ?? copyWorkspaces())
  const applicable = await survey({ experiment, dataset, probes: choice.probes, references, asksModels, signal })
  refuseStopped('The probes', signal)
  const plans = new Map<string, ItemPlan>()
  for (const [id, item] of tried.items) plans.set(id, planFor(item, applicable.get(id) ?? []))
  const names = Object.fromEntries([...plans].map(([id, plan]) => [id, plan.map(nameOf)]))
  const derived = derivedExperiment(experiment, {
    agent: probeAgent({
      items: tried.items,
      planOf: (id) => plans.get(id) ?? [],
      references,
      asksModels,
      solution: experiment.vet?.solution,
    }),
    dataset: changedItems(dataset, ({ id, jury }) => ({
      repetitions: plans.get(id)?.length ?? null,
      ...(jury === null || judging === undefined ? {} : { jury: judging.freed(jury) }),
    })),
    provision: references.provision,
    conditions: { ...experiment.conditions, probes: names },
  })
  const run = runExperiment(derived, {
    kind: 'probe',
    ...(signal === undefined ? {} : { signal }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(resume === undefined ? {} : { resume }),
  })
  return { result: await run.result, plans }
}

function refuseEmpty({ name }: Dataset): never {
  const problem = `The dataset ${name} has no selected item on which a probe can be tried`
  const remedy = 'Select items whose right answer is a change.'
  throw new JuristError('option-invalid', `runProbes: ${problem}. ${remedy}`, { option: 'dataset' })
}
