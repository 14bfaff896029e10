import { statSync } from 'node:fs'
import { type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { type Dataset, type DatasetVersion, isDatasetPath } from '../dataset/dataset.js'
import { type GitState, gitState } from '../dataset/git-state.js'
import { dataset as inlineDataset } from '../dataset/inline.js'
import type { DatasetItem } from '../dataset/item.js'
import { openFrom } from '../dataset/open-dataset.js'
import { type DatasetProblem, refuseErrors, sortedProblems } from '../dataset/problem.js'
import { readSelection, type SelectionReading } from '../dataset/read-dataset.js'
import type { ExperimentIssue } from '../errors.js'
import { copyWorkspaces } from '../provision/copy-workspaces.js'
import { type PreparedKnowledge, prepareKnowledge, unknownKnowledgeRefs } from '../provision/knowledge.js'
import type { Provision } from '../provision/provision.js'
import type { RunKind } from '../result/run-kind.js'
import { fileStore } from '../store/file-store.js'
import { memoryStore } from '../store/memory-store.js'
import type { ResultStore, RunManifest } from '../store/store.js'
import { conditionsOf, configurationOf, hostEnvironment, type RunFacts } from './conditions.js'
import { experimentIssues, refuseIssues } from './define-experiment.js'
import type { ExperimentOptions } from './experiment.js'
import { type ItemJuries, judgedItems } from './item-juries.js'
import { promptProblems } from './prompt.js'
import { defaults, type Settings, settingsOf } from './settings.js'
import { missingOutputs } from './stored-outputs.js'
import { countTrials } from './trials.js'

/** A checked experiment, with the files and directories that its options name. */
export interface Prepared {
  readonly settings: Settings
  readonly dataset: Dataset
  readonly provision: Provision
  readonly knowledge: PreparedKnowledge | null
  /** Read from git while the items are read; never rejects. */
  readonly code: Promise<GitState>
  readonly isolation: RunFacts['isolation']
}

/**
 * Checks everything about an experiment except its items.
 *
 * @param more issues of the run's options
 * @throws `experiment-invalid` with every issue, `git-dirty`, `dataset-invalid`
 */
export async function prepare(
  options: ExperimentOptions,
  variant: string | undefined,
  more: readonly ExperimentIssue[],
): Promise<Prepared> {
  const issues = [...experimentIssues(options), ...more, ...directoryIssues(options)]
  if (issues.length > 0) refuseIssues(options, issues)
  const settings = settingsOf(options, variant ?? null)
  const provision = options.provision ?? copyWorkspaces()
  const code = gitState(settings.projectDirectory)
  const [knowledge, dataset, isolation] = await Promise.all([
    settings.knowledge === null ? null : prepareKnowledge(settings.knowledge),
    openedDataset(options),
    isolationOf(provision),
    refuseChanges(settings),
  ])
  return { settings, dataset, provision, knowledge, code, isolation }
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

/** The dataset of an experiment, opened. */
export async function openedDataset({ dataset, name }: ExperimentOptions): Promise<Dataset> {
  if (isDatasetPath(dataset)) return openFrom(dataset)
  return 'items' in dataset ? dataset : inlineDataset({ name, items: dataset })
}

/** The checked items of a run. */
export interface Selection {
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
export async function select(prepared: Prepared): Promise<Selection> {
  const reading = await readSelected(prepared)
  refuseErrors(prepared.dataset.name, reading.problems)
  if (reading.selected === null) throw new Error('A selection without errors has no items.')
  return { ...reading.selected, problems: reading.problems }
}

/** The selected items with their juries, and all their problems, by themselves or in this experiment. */
interface SelectedItems extends SelectionReading {
  readonly selected: Omit<Selection, 'problems'> | null
}

/** Reads the selected items, and makes their juries. */
export async function readSelected(prepared: Prepared): Promise<SelectedItems> {
  const { dataset, settings, code } = prepared
  const asked = { directory: settings.projectDirectory, state: code }
  const { selected, problems } = await readSelection(dataset, settings.filter, asked)
  if (selected === null) return { selected, problems }
  const { juries, problems: ofJudges } = await judgedItems(prepared, selected.items)
  const own = [...itemProblems(prepared, selected.items), ...ofJudges]
  return {
    selected: { ...selected, juries },
    problems: own.length === 0 ? problems : sortedProblems([...problems, ...own]),
  }
}

/** Outputs that an agent would repeat and items lack, what the prompt uses and items lack, and knowledge that items reference and that is missing. */
function itemProblems(
  { settings, knowledge, dataset }: Prepared,
  items: readonly DatasetItem[],
): readonly DatasetProblem[] {
  const ofPrompt =
    settings.prompt !== defaults.prompt ? items.flatMap((item) => promptProblems(settings.prompt, item)) : []
  const ofKnowledge = knowledge === null ? [] : items.flatMap((item) => unknownKnowledgeRefs(item, knowledge.manifest))
  return [...missingOutputs(settings.agent, items, dataset), ...ofPrompt, ...ofKnowledge]
}

/** What a run is called, and what it is for. */
export interface RunIdentity {
  readonly id: string
  readonly session: string | null
  readonly kind: RunKind
}

/** The record of a run before its first trial. */
export async function manifestOf(
  { settings, dataset, provision, knowledge, code: asked, isolation }: Prepared,
  { items, version, juries }: Selection,
  run: RunIdentity,
): Promise<RunManifest & { readonly itemOrder: readonly string[] }> {
  const code = await asked
  const jury = juries.description
  const facts = { datasetHash: version.hash, jury, knowledge: knowledge?.manifest ?? null, isolation }
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
    knowledge: knowledge?.manifest ?? null,
    baseline: settings.baseline,
    startedAt: new Date().toISOString(),
    planned: countTrials(items, settings),
    metadata: settings.metadata,
    itemOrder: items.map(({ id }) => id),
  }
}

/** The items that say how often they run, so that a resumed run knows its plan. */
function ownRepetitions(items: readonly DatasetItem[]): JsonObject {
  const own = items.flatMap(({ id, repetitions }) => (repetitions === null ? [] : [[id, repetitions] as const]))
  return own.length === 0 ? {} : { itemRepetitions: Object.fromEntries(own) }
}

/** The store of an experiment; one that is made here is closed here. */
export function storeOf({ store = memoryStore() }: Pick<ExperimentOptions, 'store'>): {
  readonly store: ResultStore
  readonly close: () => Promise<void>
} {
  if (typeof store !== 'string') return { store, close: async () => {} }
  const files = fileStore(store)
  return { store: files, close: async () => files[Symbol.asyncDispose]() }
}
