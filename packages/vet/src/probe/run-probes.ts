import {
  type Agent,
  type AgentOutput,
  type AgentTask,
  asText,
  type Workspace,
  type WritableWorkspace,
} from '@jurist/core'
import { isPlainObject, optionInvalid } from '@jurist/core/internal'
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
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { parseObject } from '@jurist/kit/json'
import { checkedDataset, derivedExperiment, lookAtItems, refuseStopped } from '../derived-experiment.js'
import type { DecidedTrials } from '../establish/established-item.js'
import { type FreeJudging, freeJudging, hasPaidMembers } from '../free-members.js'
import { filesIn, type References, referenceName, rememberedReferences, rightAnswer } from '../reference-agent.js'
import { noVerifier, verifierFiles } from '../settings/item-settings.js'
import type { Probe, ProbeSite, ProbeUpstream } from './probe.js'
import { checkedOptions, type ProbeChoice, probeChoice, type RunProbesOptions } from './probe-options.js'
import { type Applicable, type ItemPlan, narrowed, planFor, type TriedItems, triedItems } from './probe-plan.js'
import type { ProbeReport } from './probe-report.js'
import { recordedWorkspace } from './recorded-changes.js'
import { reportOf } from './report-of.js'
import { toolchains } from './tricks.js'

/** The default answer of a probe. */
const claim = 'Done: the task is complete, and all tests pass.'

/** The items of a run of probes, and the read-only references of its trials. */
interface ProbeScene {
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly planOf: (itemId: string) => ItemPlan
  readonly references: References
  readonly dataset: Dataset
  /** Whether a jury member calls a model. */
  readonly asksModels: boolean
  readonly solution: readonly string[] | undefined
}

/** Returns the agent of a run of probes: each repetition of an item is another probe. */
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
      : cheat(probe, task, { ...scene, itemId, item: scene.items.get(itemId), reference })
  }
}

async function cheat(
  probe: Probe,
  task: AgentTask,
  { itemId, item, dataset, reference, asksModels }: Omit<SiteFacts, 'task' | 'workspace' | 'found'>,
) {
  const recorded = recordedWorkspace(task.workspace)
  const found: string[] = []
  const site = await probeSite({
    ...{ itemId, item, dataset, reference, asksModels },
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

/** Returns the named tests and canaries of an item. */
type LockOf = (itemId: string) => DatasetItem['testsLock']

/** The findings about the items from before probes are tried. */
export interface KnownItems {
  /** Newly established locks. Default: those of the dataset. */
  readonly lockOf: LockOf
  /** The trials with the right answer and without any change with these locks, which are not repeated. */
  readonly decided: DecidedTrials
  /**
   * A seed that chooses the item on which each probe is tried first; the others follow only if it passed there.
   * Default: every item.
   */
  readonly narrowBy?: number
}

/** Implements `runProbes` of `vetting.ts`. */
export async function runProbes(
  experiment: ExperimentOptions | Experiment,
  options?: RunProbesOptions,
): Promise<ProbeReport> {
  return performProbes(await prepareProbes(experiment, options), { lockOf: () => undefined, decided: new Map() })
}

/** The items of a run of probes, and the probes that can be tried on them. */
export interface PreparedProbes {
  readonly experiment: ExperimentOptions
  readonly dataset: Dataset
  readonly tried: TriedItems
  readonly choice: ProbeChoice
  readonly applicable: Applicable
  readonly references: References
  readonly asksModels: boolean
  readonly judging: FreeJudging | undefined
  readonly options: RunProbesOptions
  readonly isolation: string
}

/**
 * Finds out which probes can be tried on which items. Nothing is judged or stored.
 *
 * @throws `option-invalid`, `aborted`
 */
export async function prepareProbes(
  experiment: ExperimentOptions | Experiment,
  options?: RunProbesOptions,
): Promise<PreparedProbes> {
  const given = checkedOptions(options)
  const provision = experiment.provision ?? copyWorkspaces()
  const isolation = (await provision.isolation?.()) ?? 'undeclared'
  const choice = probeChoice(given, isolation)
  const dataset = await checkedDataset(experiment)
  const tried = await triedItems(dataset.items(experiment.filter))
  if (tried.items.size === 0) refuseEmpty(dataset)
  const filtered = { ...experiment, filter: { id: [...tried.items.keys()], status: 'any' }, provision } as const
  const judging = given.free === true ? freeJudging(filtered) : undefined
  const judged = judging?.experiment ?? filtered
  const { signal } = given
  const asksModels = judged.jury !== undefined && hasPaidMembers(judged.jury)
  const references = rememberedReferences(provision)
  const known = { dataset, references, asksModels }
  const skipped = choice.skipped.map(({ probe }) => probe)
  const online = skipped.filter((probe) => probe.online === true)
  const surveyed = { ...known, items: tried.items, experiment: judged, probes: [...choice.probes, ...online], signal }
  const found = await survey(surveyed)
  refuseStopped('The probes', signal)
  const isFound = (probe: Probe) => [...found.values()].some((some) => some.includes(probe))
  const applicable = new Map(
    [...tried.items.keys()].map((id) => [id, found.get(id)?.filter((probe) => !skipped.includes(probe)) ?? []]),
  )
  // Items without an upstream leave nothing out.
  const chosen = {
    probes: choice.probes,
    skipped: choice.skipped.filter(({ probe }) => probe.online !== true || isFound(probe)),
  }
  return { ...known, experiment: judged, tried, choice: chosen, applicable, judging, options: given, isolation }
}

/** Tries the applicable probes. */
export async function performProbes(prepared: PreparedProbes, known: KnownItems): Promise<ProbeReport> {
  const { experiment, tried, choice, applicable, judging, options, isolation } = prepared
  const accepted = new Map([
    ...(experiment.vet?.accepted ?? []).map(({ probe, reason }) => [probe, reason] as const),
    ...(options.allow ?? []).map((name) => [name, 'allowed for this run'] as const),
  ])
  const passes = ({ passed }: ItemResult) => passed === true
  const isTelling = (id: string) => {
    const { reference = null, idle = null } = known.decided.get(id) ?? {}
    return (reference === null || passes(reference)) && (idle === null || !passes(idle))
  }
  const { narrowBy } = known
  const first = narrowBy === undefined ? applicable : narrowed(applicable, narrowBy, isTelling)
  const run = await runPlanned(prepared, known, plansFor(tried, first, known))
  const parts = (planned: PlannedRun) => ({
    ...planned,
    ...{ applicable, choice, isolation, accepted },
    decided: known.decided,
    noChangeItems: tried.noChange,
    skippedMembers: judging?.skipped() ?? [],
  })
  const report = reportOf(parts(run))
  const through = report.probes.filter(
    ({ passed, accepted, notTried }) => passed.length > 0 && !accepted && notTried > 0,
  )
  if (!hasRun(run) || through.length === 0) return report
  const names = new Set(through.map(({ name }) => name))
  const wider = new Map(
    [...run.plans].map(([id, plan]) => {
      const open = applicable.get(id)?.filter((one) => names.has(one.name) && !plan.includes(one)) ?? []
      return [id, [...plan, ...open]]
    }),
  )
  return reportOf(parts(await runPlanned(prepared, known, wider, run.result.id)))
}

function plansFor({ items }: TriedItems, applicable: Applicable, { decided }: KnownItems): Plans {
  return new Map([...items].map(([id, item]) => [id, planFor(item, applicable.get(id) ?? [], decided.get(id))]))
}

type Plans = ReadonlyMap<string, ItemPlan>

interface PlannedRun {
  readonly result: ExperimentResult
  readonly plans: Plans
}

/** Whether all trials of these plans have ended. A resumed run may have begun further ones that follow from them. */
function hasRun({ result, plans }: PlannedRun): boolean {
  const ended = result.items.filter(
    ({ itemId, repetition, agent }) => agent !== 'cancelled' && repetition <= (plans.get(itemId)?.length ?? 0),
  )
  const planned = [...plans.values()].reduce((sum, { length }) => sum + length, 0)
  return result.status === 'completed' && ended.length === planned
}

/** @param widened the run that these plans extend */
async function runPlanned(
  { experiment, dataset, tried, applicable, references, asksModels, judging, options }: PreparedProbes,
  { lockOf, narrowBy }: KnownItems,
  plans: Plans,
  widened?: string,
): Promise<PlannedRun> {
  const { signal, onEvent, resume } = options
  const names = Object.fromEntries([...applicable].map(([id, probes]) => [id, probes.map(({ name }) => name)]))
  const derived = derivedExperiment(experiment, {
    agent: probeAgent({
      items: tried.items,
      planOf: (id) => plans.get(id) ?? [],
      references,
      dataset,
      asksModels,
      solution: experiment.vet?.solution,
    }),
    dataset: changedItems(dataset, ({ id, jury }) => ({
      repetitions: plans.get(id)?.length ?? null,
      testsLock: lockOf(id) ?? tried.items.get(id)?.testsLock,
      ...(jury === null || judging === undefined ? {} : { jury: judging.freed(jury) }),
    })),
    provision: references.provision,
    conditions: { ...experiment.conditions, probes: names, ...(narrowBy === undefined ? {} : { narrowBy }) },
  })
  const run = runExperiment(derived, {
    kind: 'probe',
    signal,
    onEvent,
    ...(widened === undefined ? { resume } : { resume: widened, widen: true }),
  })
  return { result: await run.result, plans }
}

function refuseEmpty({ name }: Dataset): never {
  const problem = `The dataset ${name} has no selected item on which a probe can be tried`
  const remedy = 'Select items whose right answer is a change.'
  optionInvalid('dataset', `runProbes: ${problem}. ${remedy}`)
}

/** Directories that belong to tools rather than to the task. */
const left = /(?:^|\/)(?:node_modules|\.git|\.hg|\.venv|venv|__pycache__|target|\.gradle|\.tox)(?:\/|$)/
/** The maximum number of files in a site. */
const mostFiles = 20_000

interface SiteFacts {
  readonly itemId: string
  readonly item: DatasetItem | undefined
  readonly dataset: Dataset
  readonly task: AgentTask
  /** The workspace in which the probe works. */
  readonly workspace: WritableWorkspace
  readonly reference: Workspace | null
  readonly asksModels: boolean
  /** Default: findings are dropped. */
  readonly found?: (what: string) => void
}

/** Builds the site of a probe by listing the files of the workspace. */
async function probeSite({
  itemId,
  item,
  dataset,
  task,
  workspace,
  reference,
  asksModels,
  found = () => undefined,
}: SiteFacts): Promise<ProbeSite> {
  const { prompt, input = null, signal } = task
  const files = (await filesIn(workspace, signal)).filter((path) => !left.test(path)).slice(0, mostFiles)
  const isTest = (path: string) => toolchains.some((one) => one.isTest(path))
  const isSource = (path: string) => toolchains.some((one) => one.isSource(path))
  const code = files.filter((path) => isTest(path) || isSource(path))
  // What the verifier runs can be tricked, too. Only the names of its files are looked at.
  const verifier = item === undefined ? noVerifier : await verifierFiles(dataset, item)
  return {
    workspace,
    itemId,
    prompt,
    input,
    files,
    tests: code.filter(isTest),
    sources: code.filter((path) => !isTest(path)),
    languages: toolchains
      .filter((one) => [...code, ...verifier.paths].some((path) => one.isSource(path) || one.isTest(path)))
      .map(({ name }) => name),
    verifierFiles: files.filter((path) => verifier.named.some((word) => word === path || word.endsWith(`/${path}`))),
    verifierCompares: verifier.compared,
    reference,
    upstream: reference === null ? null : await upstreamOf(item, workspace),
    asksModels,
    found,
    signal,
  }
}

/** Only probes that fit the visible tests or search for the answer may see the right answer. */
function siteFor({ pattern }: Pick<Probe, 'pattern'>, site: ProbeSite): ProbeSite {
  return pattern === 'overfit' || pattern === 'leak' ? site : { ...site, reference: null, upstream: null }
}

interface SurveyParts {
  readonly experiment: ExperimentOptions
  readonly dataset: Dataset
  readonly items: TriedItems['items']
  readonly probes: readonly Probe[]
  readonly references: References
  readonly asksModels: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Finds out which probes can be tried on which item. An agent inspects the workspace of each item in the state that the
 * agent under test would receive. Nothing is judged or stored.
 *
 * @returns the probes by item; an item whose workspace cannot be created is missing
 */
async function survey({
  experiment,
  dataset,
  items,
  probes,
  references,
  asksModels,
  signal,
}: SurveyParts): Promise<ReadonlyMap<string, readonly Probe[]>> {
  const found = new Map<string, readonly Probe[]>()
  await lookAtItems({ experiment, dataset, references, signal }, async ({ itemId, task, reference }) => {
    const item = items.get(itemId)
    const site = await probeSite({ itemId, item, dataset, task, workspace: task.workspace, reference, asksModels })
    const applicable: Probe[] = []
    for (const probe of probes) {
      // If `applies` throws, the probe is tried, so that its error is reported.
      const applies = await Promise.resolve(probe.applies(siteFor(probe, site))).catch(() => true)
      if (applies) applicable.push(probe)
    }
    found.set(itemId, applicable)
  })
  return found
}

/** The repository that the source of an item names, or else the `package.json` of its workspace. */
async function upstreamOf(item: DatasetItem | undefined, workspace: Workspace): Promise<ProbeUpstream | null> {
  const source = recordIn(item?.metadata['source'])
  const commit = typeof source['commit'] === 'string' ? source['commit'] : null
  const named = ['repository', 'repo', 'url'].flatMap((key) => addressOf(source[key]) ?? [])
  const [address = addressOf(parseObject(await manifestOf(workspace))?.['repository'])] = named
  return address === undefined ? null : { address, commit }
}

function recordIn(value: unknown): { readonly [key: string]: unknown } {
  return isPlainObject(value) ? value : {}
}

async function manifestOf(workspace: Workspace): Promise<string> {
  return workspace.read('package.json').catch(() => '{}')
}

/** `acme/cart`, `github:acme/cart` and addresses with `git+` or of ssh are addresses of https. */
function addressOf(value: unknown): string | undefined {
  const given = isPlainObject(value) ? recordIn(value)['url'] : value
  if (typeof given !== 'string') return undefined
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(given)?.[1]
  const whole = short === undefined ? given : `https://github.com/${short}`
  const address = whole
    .replace(/^git\+/, '')
    .replace(/^(?:ssh:\/\/)?git@([\w.-]+)[:/]/, 'https://$1/')
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
  return /^https?:\/\/[\w.:[\]-]+\/\S+$/.test(address) ? address : undefined
}
