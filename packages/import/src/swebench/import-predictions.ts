import { lstatSync } from 'node:fs'
import { lstat, readlink, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { type Agent, JuristError, type WritableWorkspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { completed, type ExperimentOptions, errored, type Reporter, runExperiment, trialOf } from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'
import { record } from '@jurist/experiment/internal/config'
import { counted, type RunOverview } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import type { ResultStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { deleteTree, type Git, temporaryDirectory, withGit } from '@jurist/workspace/internal'
import * as v from 'valibot'
import { gitFailure } from '../git/open-repository.js'
import { sourceFile } from '../new-project.js'
import { checked, placed } from '../traces/checked.js'
import { digestOf, storedOnce, variantName } from '../traces/store-traces.js'
import { readDocuments, type TraceDocument, unreadable } from '../traces/trace-files.js'

/** The program that applied a patch, or the reason why it was refused. */
type Applied = { readonly by: 'git' | 'patch' } | { readonly refused: string }

const timeoutMs = 300_000

/**
 * Applies a recorded patch to a workspace as the harness of SWE-bench does: with `git apply`, otherwise with `patch`,
 * which finds lines that have moved. The patch is untrusted: git refuses paths that leave the workspace or lead through
 * links or into `.git`; links that lead out of the workspace are refused here.
 *
 * @throws `provision-failed` for a workspace without a directory
 */
export async function applyPatch(workspace: WritableWorkspace, patch: string, signal: AbortSignal): Promise<Applied> {
  const { root } = workspace
  if (patch.trim() === '') return { refused: 'The patch is empty.' }
  if (root === undefined)
    throw new JuristError('provision-failed', 'A patch needs a workspace in a directory of this machine.', {
      directory: '',
      reason: 'it has no directory',
    })
  const text = patch.endsWith('\n') ? patch : `${patch}\n`
  const refused = await appliedByGit(root, text, signal)
  if (refused === undefined) return { by: 'git' }
  const isGits = /^(?:old|new|new file|deleted file) mode 1[26]0000/m.test(text)
  if (refused.isLink || isGits || !namesOnlyPlainFiles(text, root))
    return { refused: `The patch does not apply: ${refused.said}` }
  if (await appliedByPatch(workspace, text, signal)) return { by: 'patch' }
  return { refused: `The patch does not apply: ${refused.said}` }
}

async function appliedByGit(root: string, patch: string, signal: AbortSignal) {
  const directory = temporaryDirectory()
  try {
    const file = join(directory, 'change.patch')
    await writeFile(file, patch)
    return await withGit({ cwd: root, timeoutMs, maxOutputBytes: 64 * 1024 * 1024, signal }, async (git) => {
      // A separate repository, because that of the workspace, or one above it, could redirect paths.
      await git(['init', '--quiet', '--end-of-options', join(directory, 'own')])
      const apply = ['--git-dir', join(directory, 'own', '.git'), '--work-tree', root, 'apply', '--whitespace=nowarn']
      const said = await failureOf(git, [...apply, file])
      if (said !== undefined) return { said, isLink: false }
      const link = await leavingLink(root, (await git([...apply, '--numstat', '-z', file])).split('\0'))
      if (link === undefined) return undefined
      await git([...apply, '--reverse', file])
      return { said: `the link ${link} leads out of the workspace`, isLink: true }
    })
  } finally {
    await deleteTree(directory)
  }
}

/** Returns the first line of git's error output; `undefined` if it succeeded. */
async function failureOf(git: Git, args: readonly string[]): Promise<string | undefined> {
  try {
    await git(args)
    return undefined
  } catch (thrown) {
    return (
      gitFailure(thrown)
        .replace(/^error: /, '')
        .split('\n', 1)[0] ?? ''
    )
  }
}

/** Returns the first changed path that is a link out of the workspace. */
async function leavingLink(root: string, numbers: readonly string[]): Promise<string | undefined> {
  for (const line of numbers) {
    const path = line.split('\t')[2]
    if (path === undefined) continue
    const place = join(root, path)
    if ((await lstat(place).catch(() => undefined))?.isSymbolicLink() !== true) continue
    const target = await readlink(place)
    const way = relative(root, resolve(dirname(place), target))
    if (isAbsolute(target) || way === '..' || way.startsWith('../')) return path
  }
  return undefined
}

/** Whether `patch` applied it. A dry run comes first, so that a failure leaves nothing behind. */
async function appliedByPatch(workspace: WritableWorkspace, patch: string, signal: AbortSignal): Promise<boolean> {
  const name = '.jurist-recorded.patch'
  await workspace.write(name, patch)
  try {
    const asked = ['--batch', '--forward', '--fuzz=5', '-u', '-p1', '--no-backup-if-mismatch', '-r', '-', '-i', name]
    for (const words of [['--dry-run', ...asked], asked]) {
      const { status, exitCode } = await workspace.run(['patch', ...words], { timeoutMs, signal })
      if (status === 'aborted') signal.throwIfAborted()
      if (status !== 'exited' || exitCode !== 0) return false
    }
    return true
  } finally {
    await workspace.remove(name)
  }
}

/** Lines of a patch that name a file. */
const naming = /^(?:(?:---|\+\+\+|\*\*\*|Index:) |(?:rename|copy) (?:from|to) |diff --git )/

/**
 * Whether a patch is safe for `patch`, which checks less than git: every file that it names must be in the workspace,
 * outside any `.git`, and not reached through a link.
 */
function namesOnlyPlainFiles(patch: string, root: string): boolean {
  const lines = patch.split('\n').filter((line) => naming.test(line))
  return lines.length > 0 && lines.flatMap(namesIn).every((name) => isPlain(name, root))
}

/** Returns the names in such a line. `-p1` drops the first part of a name, except for renamed files. */
function namesIn(line: string): readonly string[] {
  const rest = line.replace(naming, '')
  if (line.startsWith('diff --git ')) return rest.split(' ')
  return [rest.split('\t', 1)[0] ?? '']
}

function isPlain(name: string, root: string): boolean {
  const path = name.replace(/\r$/, '').trim()
  if (path === '/dev/null') return true
  const parts = path.split('/')
  if (path.startsWith('/') || /["\\\0]/.test(path)) return false
  if (parts.some((part) => part === '..' || part.toLowerCase() === '.git')) return false
  return [parts, parts.slice(1)].every((some) => !leadsThroughLink(some, root))
}

function leadsThroughLink(parts: readonly string[], root: string): boolean {
  return parts.some((_, at) => {
    const place = join(root, ...parts.slice(0, at + 1))
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
  })
}

/** Judges recorded patches, with one run per model. */
export async function importPredictions(
  host: CommandHost,
  source: string,
  named: string | undefined,
): Promise<ExitCode> {
  using interrupt = host.interruptible(() => 'Stopping. What was judged is kept: the same command continues.')
  const file = await sourceFile(host, source, 'Name the predictions, a .json or .jsonl file.')
  const read = readPredictions(await readDocuments({ path: file, shown: source }))
  if ('problems' in read) throw unreadable(source, read.problems)
  const [experiment] = await host.experiments(named === undefined ? [] : [named])
  if (experiment === undefined) throw usageInvalid('--experiment', 'The config has no experiment. Add one.')
  const { models, notes } = await fitting(experiment, read.models)
  const results = await host.results({ forWriting: true })
  const judged: JudgedPatches[] = []
  for (const patches of models) {
    host.note(`${safeLine(patches.model)}: ${counted(patches.patches.size, 'patch', 'patches')}`)
    const { signal } = interrupt
    judged.push(await judgePatches({ ...patches, experiment, store: results.store, signal, onEvent: progressOf(host) }))
    if (signal.aborted) return 130
  }
  return report(host, judged, [...read.notes, ...notes])
}

/** Progress is printed after this number of trials. */
const progressStep = 25

function progressOf(host: CommandHost): Reporter {
  return (event) => {
    if (event.type === 'item-end' && event.done % progressStep === 0)
      host.note(`${event.done} of ${event.trials} judged`)
    if (event.type === 'warning') host.note(`warning: ${safeLine(event.message)}`)
  }
}

const mostNamed = 5

/** Returns the patches whose items are in the dataset, and notes on the others. */
async function fitting(experiment: ExperimentOptions, all: readonly ModelPatches[]) {
  const dataset = await openedDataset(experiment)
  const known = new Set(dataset.entries.filter(({ status }) => status === 'active').map(({ id }) => id))
  const notes: string[] = []
  const models = all.flatMap(({ model, patches }) => {
    const chosen = new Map([...patches].filter(([id]) => known.has(id)))
    const unknown = [...patches.keys()].filter((id) => !known.has(id))
    const without = [...known].filter((id) => !patches.has(id))
    if (unknown.length > 0) notes.push(`${model}: ${listed(unknown)}: no active item of the dataset`)
    if (without.length > 0) notes.push(`${model}: ${listed(without)}: no prediction, and so not judged`)
    return chosen.size === 0 ? [] : [{ model, patches: chosen }]
  })
  if (models.length > 0) return { models, notes }
  throw usageInvalid(
    'source',
    `No prediction is for an active item of ${dataset.name}. Its items: ${listed([...known])}.`,
  )
}

function listed(ids: readonly string[]): string {
  const more = ids.length - mostNamed
  return `${ids.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function report(host: CommandHost, judged: readonly JudgedPatches[], notes: readonly string[]): ExitCode {
  const rows = judged.map(({ model, run, isNew }) => {
    const { passCount: resolved, failCount: unresolved } = run
    const undecided = run.trials.length - resolved - unresolved
    return { model, runId: run.id, isNew, resolved, unresolved, undecided }
  })
  if (host.flags.json === true) {
    host.json({ runs: rows, notes })
    return 0
  }
  const { out } = host.terminal
  for (const { model, runId, isNew, resolved, unresolved, undecided } of rows) {
    const open = undecided === 0 ? '' : `, ${undecided} undecided`
    const again = isNew ? '' : ' (imported before)'
    out(`${safeLine(model)}: ${resolved} of ${resolved + unresolved} resolved${open}, ${runId}${again}\n`)
  }
  if (notes.length > 0) out(`\nLook at:\n${notes.map((note) => `- ${safeLine(note)}\n`).join('')}`)
  const [first] = rows
  if (first !== undefined) out(`\nNext:  ${commandLine('show', first.runId)}\n`)
  return 0
}

/** The patches of one model, by instance id; `''` if it gave none. */
interface ModelPatches {
  readonly model: string
  readonly patches: ReadonlyMap<string, string>
}

type ReadPredictions =
  | { readonly models: readonly ModelPatches[]; readonly notes: readonly string[] }
  | { readonly problems: readonly string[] }

const mostPredictions = 100_000
const mostPatchCharacters = 20_000_000

/** Reads predictions: an array, one per line, or an object by instance. Reports every problem. */
function readPredictions(documents: readonly TraceDocument[]): ReadPredictions {
  const rows = documents.flatMap(rowsOf)
  if (rows.length === 0) return { problems: ['it has no prediction'] }
  if (rows.length > mostPredictions)
    return { problems: [`it has ${rows.length} predictions, and at most ${mostPredictions} are read`] }
  const problems: string[] = []
  const models = new Map<string, Map<string, string>>()
  const unknown = new Map<string, number>()
  for (const { value, place } of rows) {
    const wrong = (problem: string) => problems.push(placed(place, problem))
    const found = checked(schema, value)
    if ('problems' in found) {
      found.problems.forEach(wrong)
      continue
    }
    const { instance_id: id, model_name_or_path: model, model_patch: patch } = found.value
    const patches = models.get(model) ?? new Map<string, string>()
    models.set(model, patches)
    if (patches.has(id)) wrong(`${id} occurs more than once for ${model}`)
    patches.set(id, patch ?? '')
    for (const name of Object.keys(found.value).filter((name) => !fields.has(name)))
      unknown.set(name, (unknown.get(name) ?? 0) + 1)
  }
  if (problems.length > 0) return { problems }
  const notes = [...unknown].map(([name, count]) => `${name}: unknown (${count} of ${rows.length} predictions)`)
  return { models: [...models].map(([model, patches]) => ({ model, patches })), notes }
}

function rowsOf({ value, place }: TraceDocument): readonly TraceDocument[] {
  const listed = (entries: readonly (readonly [string | number, unknown])[]) =>
    entries.map(([at, one]) => ({ value: one as TraceDocument['value'], place: `[${at}]` }))
  if (Array.isArray(value)) return listed([...value.entries()])
  const isOne = !isPlainObject(value) || Object.hasOwn(value, 'instance_id')
  return isOne || place !== '' ? [{ value, place }] : listed(Object.entries(value))
}

const id = 'must be a string of 1 to 200 characters'
const patch = `must be a patch of at most ${mostPatchCharacters} characters, or null`
const entries = {
  instance_id: v.pipe(v.string(id), v.minLength(1, id), v.maxLength(200, id)),
  model_name_or_path: v.pipe(
    v.string(id),
    v.check((model) => model.trim() !== '' && model.length <= 200, id),
  ),
  model_patch: v.nullable(v.pipe(v.string(patch), v.maxLength(mostPatchCharacters, patch))),
}
const schema = v.pipe(record, v.looseObject(entries))
const fields: ReadonlySet<string> = new Set(Object.keys(entries))

/** The settings for judging patches as the work of an agent. */
interface PredictionRun extends ModelPatches {
  readonly experiment: ExperimentOptions
  readonly store: ResultStore
  readonly signal: AbortSignal
  readonly onEvent: Reporter
}

interface JudgedPatches {
  readonly model: string
  readonly run: RunOverview
  readonly isNew: boolean
}

/**
 * Runs an experiment with recorded patches as its agent. The same patches for the same experiment are judged once. An
 * interrupted run continues.
 */
async function judgePatches(judging: PredictionRun): Promise<JudgedPatches> {
  const { model, patches, experiment, store, signal, onEvent } = judging
  const { name } = experiment
  const digest = digestOf([model, [...patches].sort()])
  const {
    agent: _agent,
    variants: _variants,
    matrix: _matrix,
    knowledge: _knowledge,
    hooks: _hooks,
    ...rest
  } = experiment
  const variant = variantName(model)
  const stored = await storedOnce({ store, name, digest }, (resume) =>
    runExperiment<string>(
      {
        ...rest,
        ...{ store, repetitions: 1, bail: false },
        variants: { [variant]: { agent: recordedPatches(patches), model } },
        filter: { and: [experiment.filter ?? {}, { id: [...patches.keys()] }] },
        metadata: { ...experiment.metadata, import: { format: 'predictions', digest, model } },
      },
      { signal, onEvent, variant, resume },
    ),
  )
  return { model, ...stored }
}

/**
 * Returns an agent that applies the recorded patch of an item. If the patch is empty or does not apply, the trial has
 * failed: it is not retried as an infrastructure failure, and nothing is judged.
 */
function recordedPatches(patches: ReadonlyMap<string, string>): Agent {
  return async function recordedPatch(task) {
    const { itemId = '' } = trialOf(task) ?? {}
    const patch = patches.get(itemId) ?? ''
    const applied = await applyPatch(task.workspace, patch, task.signal)
    const facts = { output: patch, phases: [{ name: 'agent', toolUses: [] }] }
    if ('by' in applied) return completed({ ...facts, metadata: { prediction: { appliedBy: applied.by } } })
    const refused = Object.assign(new Error(applied.refused), { name: 'PatchRefused', code: 'patch-refused' })
    return errored(refused, { ...facts, metadata: { prediction: { appliedBy: null } } })
  }
}
