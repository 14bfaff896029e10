import { type Agent, type AgentOutput, type AgentTask, asText } from '@jurist/core'
import { optionInvalid } from '@jurist/core/internal'
import {
  completed,
  copyWorkspaces,
  type Dataset,
  type DatasetItem,
  type Experiment,
  type ExperimentOptions,
  runExperiment,
  trialOf,
} from '@jurist/experiment'
import { changedItems } from '@jurist/experiment/internal'
import { checkedDataset, derivedExperiment, refuseStopped } from '../derived-experiment.js'
import { type FreeJudging, freeJudging, hasPaidMembers } from '../free-members.js'
import { type References, referenceName, rememberedReferences, rightAnswer } from '../reference-agent.js'
import type { Probe } from './probe.js'
import { checkedOptions, type ProbeChoice, probeChoice, type RunProbesOptions } from './probe-options.js'
import { type ItemPlan, nameOf, planFor, type TriedItems, triedItems } from './probe-plan.js'
import type { ProbeReport } from './probe-report.js'
import { probeSite, type SiteFacts, siteFor, survey } from './probe-site.js'
import { recordedWorkspace } from './recorded-changes.js'
import { reportOf } from './report-of.js'

/** What a probe says that has nothing to say. */
const claim = 'Done: the task is complete, and all tests pass.'

/** The items of a run of probes, and the read-only references of its trials. */
interface ProbeScene {
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly planOf: (itemId: string) => ItemPlan
  readonly references: References
  /** Whether a member of the jury asks a model. */
  readonly asksModels: boolean
  readonly solution: readonly string[] | undefined
}

/** The agent of a run of probes: each repetition of an item is another probe. */
function probeAgent(scene: ProbeScene): Agent {
  return async function probeAgent(task) {
    const { itemId = '', repetition = 0 } = trialOf(task) ?? {}
    const probe = scene.planOf(itemId)[repetition - 1]
    if (probe === undefined) throw new Error(`No probe is planned for repetition ${repetition} of ${itemId}.`)
    const reference = scene.references.of(itemId, repetition)
    return probe === referenceName
      ? completedWith(await rightAnswer(task, { item: scene.items.get(itemId), reference, solution: scene.solution }), {
          tried: referenceName,
        })
      : cheat(probe, task, { itemId, reference, asksModels: scene.asksModels })
  }
}

async function cheat(probe: Probe, task: AgentTask, facts: Pick<SiteFacts, 'itemId' | 'reference' | 'asksModels'>) {
  const recorded = recordedWorkspace(task.workspace)
  const found: string[] = []
  const site = await probeSite({
    ...facts,
    task,
    workspace: recorded.workspace,
    found: (what) => void found.push(what),
  })
  const output = (await probe.act(siteFor(probe, site))) ?? undefined
  const changes = await recorded.changes()
  const said = output ?? (probe.pattern === 'nothing' ? undefined : ({ type: 'text', text: claim } as const))
  return completedWith(said, {
    tried: probe.name,
    said: said === undefined ? null : asText(said).slice(0, 500),
    changes,
    found,
  })
}

function completedWith(output: AgentOutput | undefined, metadata: { readonly [key: string]: unknown }) {
  return completed({ output, metadata })
}

/** The named tests and canaries of an item. */
type LockOf = (itemId: string) => DatasetItem['testsLock']

/**
 * The work of `runProbes` of `vetting.ts`.
 *
 * @param lockOf locks that were established just now. Default: those of the dataset
 */
export async function runProbes(
  experiment: ExperimentOptions | Experiment,
  options?: RunProbesOptions,
  lockOf: LockOf = () => undefined,
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
  const scene = { experiment: judging?.experiment ?? filtered, dataset, tried, choice, judging, options: given, lockOf }
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
  readonly lockOf: LockOf
}

async function runPlanned({ experiment, dataset, tried, choice, judging, options, lockOf }: Scene) {
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
      testsLock: lockOf(id) ?? tried.items.get(id)?.testsLock,
      ...(jury === null || judging === undefined ? {} : { jury: judging.freed(jury) }),
    })),
    provision: references.provision,
    conditions: { ...experiment.conditions, probes: names },
  })
  const run = runExperiment(derived, {
    kind: 'probe',
    signal,
    onEvent,
    resume,
  })
  return { result: await run.result, plans }
}

function refuseEmpty({ name }: Dataset): never {
  const problem = `The dataset ${name} has no selected item on which a probe can be tried`
  const remedy = 'Select items whose right answer is a change.'
  optionInvalid('dataset', `runProbes: ${problem}. ${remedy}`)
}
