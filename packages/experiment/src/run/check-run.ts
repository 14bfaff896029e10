import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type JsonObject, JuristError } from '@jurist/core'
import { isInWorkspace, isPlainObject, modelAddressOf } from '@jurist/core/internal'
import { type Dataset, type DatasetVersion, isDatasetPath } from '../dataset/dataset.js'
import { type GitState, gitState } from '../dataset/git-state.js'
import { dataset as inlineDataset } from '../dataset/inline.js'
import type { DatasetItem } from '../dataset/item.js'
import { openFrom } from '../dataset/open-dataset.js'
import { type DatasetProblem, refuseErrors, sortedProblems } from '../dataset/problem.js'
import { expiredProblems, type Quarantine, readQuarantine } from '../dataset/quarantine.js'
import { readSelection, type SelectionReading } from '../dataset/read-dataset.js'
import type { ExperimentIssue } from '../errors.js'
import { copyWorkspaces } from '../provision/copy-workspaces.js'
import { type PreparedKnowledge, prepareKnowledge, unknownKnowledgeRefs } from '../provision/knowledge.js'
import type { Provision } from '../provision/provision.js'
import type { RunRecord, RunShard } from '../result/records.js'
import type { RunKind } from '../result/run-kind.js'
import { fileStore } from '../store/file-store.js'
import { type OpenedStore, openedStore } from '../store/memory-store.js'
import type { ResultStore, RunManifest } from '../store/store.js'
import type { QueuedRun } from '../store/trial-queue.js'
import { experimentIssues, refuseIssues } from './define-experiment.js'
import type { ExperimentOptions } from './experiment.js'
import { type ItemJuries, judgedItems, quarantinedJuries } from './item-juries.js'
import { refuseMissingKeys } from './models.js'
import { promptProblems } from './prompt.js'
import { newestUnfinished, type OpenedRun } from './resume.js'
import { type RunExperimentOptions, runIssues } from './run-options.js'
import { conditionsOf, configurationOf, defaults, type RunFacts, type Settings, settingsOf } from './settings.js'
import { isRecordedAgent, missingOutputs } from './stored-outputs.js'
import {
  countTrials,
  otherPlanNotice,
  type Shard,
  type ShardOptions,
  settingsOfPlan,
  shardOf,
  storedPlan,
  type TrialPlan,
} from './trials.js'

/** A checked experiment, with the files and directories that its options name. */
export interface Prepared {
  readonly settings: Settings
  readonly dataset: Dataset
  readonly provision: Provision
  readonly knowledge: PreparedKnowledge | null
  /** Read from git while the items are read; never rejects. */
  readonly code: Promise<GitState>
  readonly isolation: RunFacts['isolation']
  readonly quarantine: Pick<Quarantine, 'entries' | 'problems' | 'file'>
}

/**
 * Checks the options of an experiment and of a run, and everything else except the items.
 *
 * @throws `experiment-invalid` with every issue, `git-dirty`, `dataset-invalid`
 */
export async function prepare(options: ExperimentOptions, run: RunExperimentOptions): Promise<Prepared> {
  const issues = [...experimentIssues(options), ...runIssues(options, run), ...directoryIssues(options)]
  if (issues.length > 0) refuseIssues(options, issues)
  const settings = settingsOf(options, run.variant ?? null)
  const provision = options.provision ?? copyWorkspaces()
  if (run.kind === undefined || run.kind === 'agent') refuseOutside(settings.agent, provision)
  const code = gitState(settings.projectDirectory)
  const [knowledge, dataset, isolation] = await Promise.all([
    settings.knowledge === null ? null : prepareKnowledge(settings.knowledge),
    openedDataset(options),
    isolationOf(provision),
    refuseChanges(settings),
  ])
  const quarantine = await quarantineFor(options, run, dataset)
  return { settings, dataset, provision, knowledge, code, isolation, quarantine }
}

const noQuarantine: Prepared['quarantine'] = { file: null, entries: [], problems: [] }

/** The quarantine of a run that measures an agent. Entries that are over count again, with a warning. */
async function quarantineFor(
  { quarantine: asked }: ExperimentOptions,
  { kind = 'agent' }: RunExperimentOptions,
  dataset: Dataset,
): Promise<Prepared['quarantine']> {
  if (asked === false || kind !== 'agent') return noQuarantine
  const read = await readQuarantine(dataset)
  return { ...read, problems: [...read.problems, ...expiredProblems(read, 'warning')] }
}

/**
 * Refuses an agent that runs in this process where the list says that it holds for agents too: nothing would enforce it.
 *
 * @throws `sandbox-unavailable`
 */
function refuseOutside(agent: Settings['agent'], { network }: Provision): void {
  if (network === undefined || network.unsandboxedAgent || isInWorkspace(agent) || isRecordedAgent(agent)) return
  const name = agent.name || 'agent'
  const reason = `the agent ${name} runs in this process, where the allow-list of hosts does not hold`
  const remedy =
    'Use an agent that runs in the workspace, such as commandAgent, claudeCommand or codexCommand, or set "unsandboxedAgent: true" beside the list, which then holds for commands of the workspace only.'
  throw new JuristError('sandbox-unavailable', `The network: ${reason}. ${remedy}`, { sandbox: 'network', reason })
}

/** The warning that an allow-list closes the model of the agent; `null` if it is open, or its address is not known. */
export function closedModel({ settings: { agent }, provision: { network } }: Prepared): string | null {
  const address = modelAddressOf(agent)
  if (network === undefined || address === undefined || !URL.canParse(address)) return null
  const { protocol, hostname, port } = new URL(address)
  const isClear = protocol === 'http:'
  const number = port === '' ? (isClear ? 80 : 443) : Number(port)
  const host = ['127.0.0.1', '[::1]'].includes(hostname) ? 'localhost' : hostname
  if (network.allows(host, number)) return null
  const isLocal = host === 'localhost'
  const entry = `${isClear && !isLocal ? 'http://' : ''}${host}${port === '' && !isLocal ? '' : `:${number}`}`
  const name = agent.name || 'agent'
  return `The agent ${name} asks its model at ${entry}, which the allow-list of hosts does not have. Add it to network.allow, or run with --allow-host ${entry}.`
}

async function isolationOf(provision: Provision): Promise<RunFacts['isolation']> {
  return (await provision.isolation?.()) ?? 'undeclared'
}

function directoryIssues(options: ExperimentOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return []
  const { projectDirectory, knowledge } = options as ExperimentOptions
  return [
    ...missingDirectory('projectDirectory', projectDirectory),
    ...missingDirectory('knowledge.directory', isPlainObject(knowledge) ? knowledge['directory'] : undefined),
  ]
}

function missingDirectory(field: string, path: unknown): readonly ExperimentIssue[] {
  if (typeof path !== 'string' || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
  return [{ field, problem: `${JSON.stringify(path)} is not a directory.`, remedy: 'Name a directory that exists.' }]
}

/**
 * Refuses a project with uncommitted changes, if the experiment requires a clean one.
 *
 * @throws `git-dirty`
 */
export async function refuseChanges({
  projectDirectory,
  requireCleanGit: paths,
}: Pick<Settings, 'projectDirectory' | 'requireCleanGit'>): Promise<void> {
  if (paths === null) return
  const { gitCommit, dirty, dirtyFiles: files } = await gitState(projectDirectory, paths)
  if (gitCommit === null) {
    const message = `${projectDirectory} has no git commit, so changes cannot be detected.`
    throw new JuristError('git-dirty', `${message} Commit it, or leave out "requireCleanGit".`, { files })
  }
  if (!dirty) return
  const shown = files.slice(0, 10).join(', ')
  const rest = files.length > 10 ? ` and ${files.length - 10} more` : ''
  throw new JuristError(
    'git-dirty',
    `The project has changes that are not committed: ${shown}${rest}. Commit them, or leave out "requireCleanGit".`,
    { files },
  )
}

export async function openedDataset({ dataset, name }: ExperimentOptions): Promise<Dataset> {
  if (isDatasetPath(dataset)) return openFrom(dataset)
  return 'items' in dataset ? dataset : inlineDataset({ name, items: dataset })
}

export interface Selected extends Prepared {
  readonly items: readonly DatasetItem[]
  readonly version: DatasetVersion
  readonly problems: readonly DatasetProblem[]
  readonly juries: ItemJuries
}

/**
 * Reads and checks the selected items.
 *
 * @throws `dataset-invalid` with every error of the items; `option-invalid` for a malformed filter
 */
export async function select(prepared: Prepared): Promise<Selected> {
  const { selected, problems } = await readSelected(prepared)
  refuseErrors(prepared.dataset.name, problems)
  if (selected === null) throw new Error('A selection without errors has no items.')
  return { ...prepared, ...selected, problems }
}

/** The selected items with their juries, and all their problems, by themselves or in this experiment. */
interface SelectedItems extends SelectionReading {
  readonly selected: Pick<Selected, 'items' | 'version' | 'juries'> | null
}

/** Reads the selected items, and makes their juries. */
export async function readSelected(prepared: Prepared): Promise<SelectedItems> {
  const { dataset, settings, code } = prepared
  const asked = { directory: settings.projectDirectory, state: code }
  const reading = await readSelection(dataset, settings.filter, asked)
  const { selected } = reading
  const problems = [...reading.problems, ...prepared.quarantine.problems]
  if (selected === null) return { selected, problems }
  const { juries: whole, problems: ofJudges } = await judgedItems(prepared, selected.items)
  const { juries, problems: ofQuarantine } = quarantinedJuries(whole, prepared.quarantine, selected.items)
  const own = [...itemProblems(prepared, selected.items), ...ofJudges, ...ofQuarantine]
  return {
    selected: { ...selected, juries },
    problems: own.length === 0 ? problems : sortedProblems([...problems, ...own]),
  }
}

/** Problems of the selected items: no output to replay, missing prompt variables, unknown knowledge references. */
function itemProblems(
  { settings, knowledge, dataset }: Prepared,
  items: readonly DatasetItem[],
): readonly DatasetProblem[] {
  const ofPrompt =
    settings.prompt !== defaults.prompt ? items.flatMap((item) => promptProblems(settings.prompt, item)) : []
  const ofKnowledge = knowledge === null ? [] : items.flatMap((item) => unknownKnowledgeRefs(item, knowledge.manifest))
  return [...missingOutputs(settings.agent, items, dataset), ...ofPrompt, ...ofKnowledge]
}

export interface CheckedRun extends Selected {
  readonly manifest: PlannedManifest
  /** The part of the trials that runs; `null`: all. */
  readonly shard: Shard | null
  /** The stored run that is resumed, locked; `null` for a new one. */
  readonly stored: OpenedRun | null
  /** The run in a queue that is followed. */
  readonly queued: QueuedRun | null
  /** A warning about its plan, emitted when it has begun. */
  readonly notice: string | null
}

/**
 * Checks a run before it starts: its trials, its juries, and whether it is new or continues a stored one. A resumed run
 * keeps the items that it began with, unless it is widened.
 *
 * @param id the id of a new run
 * @param plan the trials of a run that has not begun, if its session has stored them
 */
export async function checkRun(
  prepared: Prepared,
  options: RunExperimentOptions,
  store: ResultStore,
  id: string,
  plan: TrialPlan | null = null,
): Promise<CheckedRun> {
  const { settings } = prepared
  const { widen = false, distribute, session = null, kind = 'agent' } = options
  const known = options.resume === 'latest' ? await newestUnfinished(store, settings, options) : options.resume
  const open = known === undefined ? [] : ((await distribute?.queue.runs()) ?? [])
  const queued = open.find(({ manifest }) => manifest.id === known) ?? null
  const stored = known === undefined || queued !== null ? null : await store.resume(known)
  try {
    const earlier = (queued ?? stored)?.manifest ?? null
    const own = earlier === null ? plan : widen ? null : storedPlan(earlier)
    const notice = earlier === null || own === null ? null : otherPlanNotice(settings, earlier, own)
    const begun = earlier === null ? prepared : { ...prepared, quarantine: storedQuarantine(earlier) }
    const selected = await select(own === null ? begun : { ...begun, settings: settingsOfPlan(settings, own) })
    // Workers need the keys of models, and refuse a run without.
    if (distribute === undefined)
      refuseMissingKeys([selected.settings, ...selected.juries.own.map((jury) => ({ jury }))])
    const whole = await manifestOf(selected, { id: earlier?.id ?? id, session, kind })
    const part = options.shard ?? shardInOrder(earlier?.shard)
    const shard = part === undefined ? null : shardOf(earlier ?? whole, part)
    const manifest = shard === null ? whole : { ...whole, shard: shard.record }
    return { ...selected, manifest, shard, stored, queued, notice }
  } catch (thrown) {
    await stored?.writer.release()
    throw thrown
  }
}

/** A run that continues keeps the quarantine that it began with. */
function storedQuarantine({ quarantine = [] }: RunManifest): Prepared['quarantine'] {
  return { ...noQuarantine, entries: quarantine }
}

/** The options of a resumed shard; `undefined` for a shard by durations, which its record does not contain. */
function shardInOrder(shard: RunShard | undefined): ShardOptions | undefined {
  return shard?.by === 'order' ? { index: shard.index, count: shard.count } : undefined
}

/** The record of a run before its first trial. */
type PlannedManifest = RunManifest & { readonly itemOrder: readonly string[] }

/** The record of a run of checked items that would start now. */
export async function manifestOf(
  { settings, dataset, provision, knowledge, code: asked, isolation, quarantine, items, version, juries }: Selected,
  run: { readonly id: string; readonly session: string | null; readonly kind: RunKind },
): Promise<PlannedManifest> {
  const code = await asked
  const jury = juries.description
  const { network = null } = provision
  const ids = new Set(items.map(({ id }) => id))
  const entries = quarantine.entries.filter(({ item }) => ids.has(item))
  const facts = { datasetHash: version.hash, jury, knowledge: knowledge?.manifest ?? null, isolation, network }
  return {
    schemaVersion: 1,
    id: run.id,
    experimentName: settings.name,
    kind: run.kind,
    variant: settings.variant,
    session: run.session,
    lineage: null,
    dataset: version,
    code: { gitCommit: code.gitCommit, dirty: code.dirty, dirtyFiles: code.dirtyFiles },
    environment: hostEnvironment(),
    conditions: conditionsOf(settings, facts),
    configuration: { ...configurationOf(settings, dataset, provision.name || 'provision'), ...ownRepetitions(items) },
    jury,
    knowledge: facts.knowledge,
    baseline: settings.baseline,
    startedAt: new Date().toISOString(),
    planned: countTrials(items, settings),
    metadata: settings.metadata,
    ...(entries.length === 0 ? {} : { quarantine: entries }),
    itemOrder: items.map(({ id }) => id),
  }
}

/** Repetitions that items set themselves. They are recorded so that a resumed run knows its plan. */
function ownRepetitions(items: readonly DatasetItem[]): JsonObject {
  const own = items.flatMap(({ id, repetitions }) => (repetitions === null ? [] : [[id, repetitions] as const]))
  return own.length === 0 ? {} : { itemRepetitions: Object.fromEntries(own) }
}

/** The store of an experiment; one that is made here is closed here. */
export function storeOf(options: Pick<ExperimentOptions, 'store'>): OpenedStore {
  return openedStore(options, fileStore)
}

/** The machine and the version that a run uses. */
export function hostEnvironment(): RunRecord['environment'] {
  const { version, platform, arch, env } = process
  const ci = !['', '0', 'false'].includes(env['CI']?.toLowerCase() ?? '')
  return Object.freeze({ node: version, platform, arch, jurist: ownVersion(), ci })
}

export function ownVersion(): string {
  // Resolved by name: the build decides where this file is in the package.
  const path = createRequire(import.meta.url).resolve('@jurist/experiment/package.json')
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
  return version
}
