import { appendFile, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { type AgentTask, asText, type JournalEvent, type JsonObject, type Judge, type Jury } from '@jurist/core'
import { isJury, modelsUsedBy, ownTurns, scenarioOf } from '@jurist/core/internal'
import type { ColumnMap, ExperimentOptions } from '@jurist/experiment'
import type { Dataset, DatasetItem } from '@jurist/experiment/dataset'
import { openFrom, solutionOf, storedItem } from '@jurist/experiment/internal'
import { outputOf, placesIn, trialText } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { rejudge, storedContext } from '@jurist/experiment/rejudge'
import { type ExperimentResult, type ItemResult, outcomeOf } from '@jurist/experiment/result'
import { memoryStore } from '@jurist/experiment/store'
import { isTestFile } from '@jurist/kit/code-languages'
import { changes, localWorkspace, snapshot } from '@jurist/workspace'
import { copyTree, temporaryDirectory } from '@jurist/workspace/internal'
import type { Results } from '../../command-kit/results-store.js'
import { type judgesOfItems, noJury } from '../rejudge.js'
import { recordedEvents } from '../show/trial-evidence.js'
import { type Cleaning, cleaning, type Removed } from './cleaning.js'
import { failureOf, hashOf, isSameFailure, keyOf, type Signature, slugOf, type TrialFailure } from './failure.js'
import { type Minimised, minimise } from './minimise.js'
import { featuresOf, linesOf, type NearItem, nearItems } from './near-items.js'
import {
  type Cut,
  copied,
  directoryOrCommit,
  nothingCut,
  type TrialFiles,
  trialFiles,
  withDirectories,
  writeCut,
} from './trial-files.js'
import { addItem, addRow, freeName, type NewItem, writeItem } from './write-item.js'

/** The parts of the project that promoting needs. */
export interface PromotePlace {
  readonly results: Results
  readonly run: ExperimentResult
  readonly experiment: ExperimentOptions
  readonly jury: Jury | Judge
  /** Its name in the config, where it was named. */
  readonly juryName: string | undefined
  readonly ofItems: NonNullable<ReturnType<typeof judgesOfItems>>
  /** The directory or the file of rows of the dataset that gets the item. */
  readonly into: string
  /** The names of the columns of its rows; `null`: it is a directory. */
  readonly columns: ColumnMap | null
  /** Whether it is the dataset of the experiment, whose jury its items have. */
  readonly isOwn: boolean
  /** The dataset there; `null`: it is made. */
  readonly dataset: Dataset | null
  readonly signal: AbortSignal
}

export interface PromoteChoices {
  readonly name: string | undefined
  readonly minimise: boolean
  readonly judge: string | undefined
  readonly before: string | undefined
  readonly reference: string | undefined
  readonly budgetMinutes: number
  readonly dryRun: boolean
  /** Names of other trials that failed alike. */
  readonly alike: readonly string[]
}

/** The item that a trial became, as data. */
export interface Promoted {
  readonly trial: string
  readonly failure: string
  readonly signature: Signature
  readonly status: 'written' | 'would-write' | 'near-copy' | 'known'
  /** The id of the item, or of the item that is there already. */
  readonly item: string
  /** Relative to the dataset; `null`: nothing was written. */
  readonly path: string | null
  readonly files: { readonly before: number; readonly wrong: number } | null
  readonly minimised:
    | (Pick<Minimised, 'judgments' | 'isStopped'> & {
        readonly from: Size
        readonly to: Size
        readonly seconds: number
      })
    | null
  readonly removed: Removed
  readonly nearest: NearItem | null
  readonly established: { readonly status: 'active' | 'disabled'; readonly why: string }
  readonly notes: readonly string[]
}

interface Size {
  readonly files: number
  readonly lines: number
}

const nearCopy = 0.8
export const nearEnough = 0.5

/** Turns a failed trial into an item of a dataset. */
export async function promoteTrial(place: PromotePlace, item: ItemResult, choices: PromoteChoices): Promise<Promoted> {
  const failure = promotable(item, choices.judge)
  const { results, run, experiment } = place
  const trial = trialText(item)
  const notes: string[] = []
  const known = await knownTrial(place, `${run.id}/${trial}`, failure.signature)
  if (known !== undefined) return unwritten({ trial, failure, item: known, status: 'known' })
  const projectDirectory = experiment.projectDirectory ?? process.cwd()
  const files = await trialFiles(run, item, { results, before: choices.before, projectDirectory })
  await using _files = typeof files === 'string' ? undefined : files
  if (typeof files === 'string')
    notes.push(`${files}: the item has its task${place.columns === null ? ' and the answer' : ' and input'} alone`)
  else if (place.columns !== null && Object.keys(files.snapshots.before.files).length + files.changed.length > 0)
    throw usageInvalid(
      '--into',
      `${basename(place.into)} holds rows, and ${trial} has files. Name a directory: --into regressions`,
    )
  const clean = cleaning()
  const journal = item.journalPath === null ? null : await recordedEvents(results, run, item)
  let cut = nothingCut
  let minimised: Promoted['minimised'] = null
  const refused = choices.minimise ? notMinimised(item, place.jury, typeof files === 'string') : undefined
  if (refused !== undefined) notes.push(refused)
  if (typeof files !== 'string') {
    const judge = cutJudge(place, files, { item, journal })
    // An agent that broke or ran out of time was not judged, and is not judged again.
    const isJudged = item.verdict !== null && outcomeOf(item) !== 'timeout'
    if (isJudged) await failsAgain(judge, failure, trial, choices.judge)
    cut = await cleanedCut(
      files,
      clean,
      async (one) => !isJudged || isAlike(judge, one, failure.signature, choices.judge),
    )
    if (choices.minimise && refused === undefined) {
      const smaller = await smallest(place, files, cut, { item, failure, journal, judge, choices })
      cut = smaller.cut
      minimised = smaller.facts
      notes.push(...smaller.notes)
    }
  }
  return await written(place, item, choices, { files, cut, clean, failure, minimised, notes })
}

/** The failure of a trial that can be promoted. Everything else is refused with what to do. */
function promotable(item: ItemResult, judge: string | undefined): TrialFailure {
  const trial = trialText(item)
  const refuse = (problem: string) => usageInvalid('item', `${trial} ${problem}`)
  if (item.passed === true) throw refuse('passed. Only a failure becomes an item.')
  if (item.verdict === null && item.failure === null)
    throw refuse('has no verdict. Judge it first: jurist rejudge RUN --jury NAME')
  if (item.failure?.infrastructure === true || item.agent === 'setup-error' || item.agent === 'cancelled')
    throw refuse('failed for a reason of the infrastructure, which says nothing of the agent.')
  if (item.passed === null) throw refuse('is undecided. Judge it again: jurist rejudge RUN')
  const failure = failureOf(item, judge)
  if (failure !== undefined) return failure
  if (judge === undefined) throw refuse('failed, and no judge says why.')
  throw usageInvalid('--judge', `The judge "${judge}" did not fail ${trial}.`)
}

function notMinimised(item: ItemResult, jury: Jury | Judge, hasNoFiles: boolean): string | undefined {
  if (hasNoFiles) return 'not minimised: there are no files'
  if (outcomeOf(item) === 'timeout') return 'not minimised: it ran out of time'
  if (item.verdict === null) return 'not minimised: no judge failed it'
  const models = modelsUsedBy(jury)
  return models.length === 0
    ? undefined
    : `not minimised: the jury asks ${models.map(({ name }) => name).join(', ')}, and each judgment would cost`
}

/** Judges what a cut leaves of the files of a trial. */
type CutJudge = (
  cut: Cut,
  laid?: { readonly reference: string; readonly solution: readonly string[] },
) => Promise<ItemResult>

function cutJudge(
  { run, jury, ofItems, signal }: PromotePlace,
  files: TrialFiles,
  { item, journal }: { readonly item: ItemResult; readonly journal: readonly JournalEvent[] | null },
): CutJudge {
  let count = 0
  return async (cut, laid) => {
    const root = join(files.scratch, `judged-${++count}`)
    const kept = join(root, run.experimentName, run.id)
    const [before, after] = [join(root, 'before'), join(kept, 'workspace')]
    try {
      await writeCut(files, cut, { before, after })
      if (laid !== undefined) {
        await rm(after, { recursive: true, force: true })
        await mkdir(after, { recursive: true })
        await copyTree(before, after, { ...copied, ignore: [] })
        for (const path of laid.solution.filter((one) => !cut.gone.has(one))) {
          await mkdir(dirname(join(after, path)), { recursive: true })
          await copyFile(join(laid.reference, path), join(after, path))
        }
      }
      if (journal !== null)
        await writeFile(join(kept, 'journal.jsonl'), journal.map((event) => `${JSON.stringify(event)}\n`).join(''))
      const { keptChanges, ...trial } = item
      const { beforeSource, ...metadata } = item.metadata
      const judged: ItemResult = {
        ...trial,
        metadata,
        workspacePath: 'workspace',
        beforePath: before,
        ...(files.reference === null ? {} : { referencePath: files.reference }),
        journalPath: journal === null ? null : 'journal.jsonl',
      }
      const { datasetDirectory, provision } = ofItems
      const again = rejudge({ ...run, items: [judged] } as ExperimentResult, jury, {
        ...ofItems,
        store: memoryStore(),
        context: storedContext({
          resultsDirectory: root,
          ...(datasetDirectory === undefined ? {} : { datasetDirectory }),
          ...(provision === undefined ? {} : { provision }),
        }),
        save: false,
        signal,
      })
      const [result] = (await again.result).items
      signal.throwIfAborted()
      if (result === undefined) throw new Error('a trial was judged and has no result')
      return result
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  }
}

async function isAlike(judge: CutJudge, cut: Cut, wanted: Signature, path: string | undefined): Promise<boolean> {
  const found = failureOf(await judge(cut), path)
  return found !== undefined && isSameFailure(found.signature, wanted)
}

/**
 * Judges the trial as it is now, again where that differs.
 *
 * @throws `usage-invalid` when it fails otherwise, or not always
 */
async function failsAgain(
  judge: CutJudge,
  { signature, text }: TrialFailure,
  trial: string,
  path: string | undefined,
): Promise<void> {
  let alike = 0
  let other = ''
  for (let turn = 1; turn <= 3; turn += 1) {
    const judged = await judge(nothingCut)
    const found = failureOf(judged, path)
    if (found !== undefined && isSameFailure(found.signature, signature)) alike += 1
    else other = found?.text ?? `${outcomeOf(judged)}${skipOf(judged)}`
    if (turn === 1 && alike === 1) return
  }
  if (alike === 0)
    throw usageInvalid(
      'item',
      `${trial} does not fail as it did.\n  then: ${text}\n  now:  ${other}\nJudge the run again first: jurist rejudge RUN`,
    )
  throw usageInvalid(
    'item',
    `${trial} failed alike in ${alike} of 3 judgments: it is flaky. Quarantine it, or repeat it.\n` +
      `- { item: ${JSON.stringify(trial.split('#')[0])}, owner: YOU, reason: "failed ${alike} of 3", until: YYYY-MM-DD }`,
  )
}

function skipOf({ metadata }: ItemResult): string {
  const { rejudge: note } = metadata
  const message = typeof note === 'object' && note !== null && 'message' in note ? note['message'] : undefined
  return typeof message === 'string' ? ` (${message})` : ''
}

/**
 * Removes secrets and names of this machine from all files.
 *
 * @throws `usage-invalid` when the trial no longer fails alike without one of them
 */
async function cleanedCut(files: TrialFiles, clean: Cleaning, alike: (cut: Cut) => Promise<boolean>): Promise<Cut> {
  const gone = new Set<string>()
  const texts = new Map<string, { before?: string; after?: string }>()
  const { snapshots } = files
  const paths = new Set([...Object.keys(snapshots.before.files), ...Object.keys(snapshots.after.files)])
  // Files of secrets come first: what they hold is looked for in the others.
  const sorted = [...paths].sort((a, b) => Number(b.includes('.env')) - Number(a.includes('.env')) || (a < b ? -1 : 1))
  for (const path of sorted)
    for (const side of ['before', 'after'] as const) {
      const entry = snapshots[side].files[path]
      if (entry === undefined || 'link' in entry || entry.sizeBytes > mostCleaned) continue
      const bytes = await readFile(join(files[side], path))
      if (clean.isSecretFile(path, bytes)) gone.add(path)
      else if (!bytes.includes(0)) {
        const text = bytes.toString()
        const plain = clean.text(text, path)
        if (plain !== text) texts.set(path, { ...texts.get(path), [side]: plain })
      }
    }
  const cut: Cut = { gone, undone: new Set(), texts }
  if (gone.size + texts.size === 0 || (await alike(cut))) return cut
  for (const path of [...gone, ...texts.keys()]) {
    const own = texts.get(path)
    const only = {
      gone: new Set(gone.has(path) ? [path] : []),
      undone: new Set<string>(),
      texts: new Map(own ? [[path, own]] : []),
    }
    if (!(await alike(only)))
      throw usageInvalid(
        'item',
        `The failure needs a secret or a name of this machine in ${path}. Replace it there, run the trial again, and promote that.`,
      )
  }
  throw usageInvalid('item', 'The failure needs what was removed from several files. Replace the secrets there first.')
}

const mostCleaned = 20_000_000

interface Smaller {
  readonly cut: Cut
  readonly facts: NonNullable<Promoted['minimised']>
  readonly notes: readonly string[]
}

/** Minimises the files, and judges what is left three times. */
async function smallest(
  { signal, experiment }: PromotePlace,
  files: TrialFiles,
  begun: Cut,
  trial: {
    readonly item: ItemResult
    readonly failure: TrialFailure
    readonly journal: readonly JournalEvent[] | null
    readonly judge: CutJudge
    readonly choices: PromoteChoices
  },
): Promise<Smaller> {
  const { item, failure, journal, judge, choices } = trial
  const beganAt = performance.now()
  const reference = files.reference
  const solved = reference === null ? [] : await changedBy(files, reference)
  const { files: solution } = await solutionOf(solved, experiment.vet?.solution)
  const failsAlike = async (cut: Cut) => {
    if (signal.aborted) return false
    if (!(await isAlike(judge, cut, failure.signature, choices.judge))) return false
    return reference === null || (await judge(cut, { reference, solution })).passed === true
  }
  const steps = journal?.filter((event) => event.type === 'tool-call') ?? []
  const read = JSON.stringify(steps)
  const said = JSON.stringify(item.verdict)
  const all = Object.keys(files.snapshots.before.files).concat(Object.keys(files.snapshots.after.files))
  const places = new Set([...placesIn(said)].map(({ path }) => path))
  const isRead = (path: string) => reference === null && (read.includes(path) || files.changed.includes(path))
  const named = new Set(
    all.filter(
      (path) => places.has(path) || (isTestFile(path) && said.includes(path)) || solved.includes(path) || isRead(path),
    ),
  )
  const found = await minimise(files, begun, {
    failsAlike,
    kept: { named, sources: reference === null && steps.length === 0 },
    budgetMs: choices.budgetMinutes * 60_000,
  })
  const notes: string[] = []
  let { cut } = found
  let times = 0
  while (times < 3 && (await failsAlike(cut))) times += 1
  if (times < 3) {
    cut = begun
    notes.push('what was left did not fail alike three times, so that nothing was left out')
  }
  const facts = {
    judgments: found.judgments + Math.min(3, times + 1),
    isStopped: found.isStopped,
    from: await sizeOf(files, nothingCut),
    to: await sizeOf(files, cut),
    seconds: Math.round((performance.now() - beganAt) / 100) / 10,
  }
  if (found.isStopped) notes.push('minimised: stopped at a limit; --budget-minutes gives it more time')
  return { cut, facts, notes }
}

/** The paths that a reference changes or adds. */
async function changedBy({ snapshots }: TrialFiles, reference: string): Promise<readonly string[]> {
  const { added, modified } = changes(snapshots.before, await snapshot(localWorkspace(reference)))
  return [...added, ...modified]
}

async function sizeOf(files: TrialFiles, cut: Cut): Promise<Size> {
  let [count, lines] = [0, 0]
  for (const [path, entry] of Object.entries(files.snapshots.before.files)) {
    if (cut.gone.has(path) || 'link' in entry) continue
    const text = cut.texts.get(path)?.before ?? (await readFile(join(files.before, path))).toString('latin1')
    // A file that was emptied is a name, not something to read.
    if (text === '') continue
    count += 1
    lines += text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  }
  return { files: count, lines }
}

interface Ready {
  readonly files: TrialFiles | string
  readonly cut: Cut
  readonly clean: Cleaning
  readonly failure: TrialFailure
  readonly minimised: Promoted['minimised']
  readonly notes: readonly string[]
}

async function written(
  place: PromotePlace,
  item: ItemResult,
  choices: PromoteChoices,
  { files, cut, clean, failure, minimised, notes }: Ready,
): Promise<Promoted> {
  const { run, dataset, into, columns, experiment } = place
  const trial = trialText(item)
  const source = await sourceItem(place, item)
  const own = `${item.itemId}-${item.repetition}`.replace(/[^\w.-]/g, '_')
  const directories: Record<string, string> = {}
  let counts: Promoted['files'] = null
  if (typeof files !== 'string') {
    const made = await itemFiles(files, cut, choices, experiment.projectDirectory ?? process.cwd(), own)
    Object.assign(directories, made.directories)
    counts = made.counts
  }
  for (const [name, from] of Object.entries(await extrasOf(place, source))) directories[name] ??= from
  const task = clean.text(source.task, 'task')
  const lines = directories['before'] === undefined ? null : await linesOf(directories['before'])
  const fields = clean.json(
    fieldsOf(place, item, source, { failure, choices, minimised, hasFiles: 'before' in directories }),
    'item.json',
  )
  const { metadata } = fields
  const { turns, messages } = saidBy(item, failure)
  const script =
    messages.length === 0 ? [] : [`the script is the first ${messages.length} of ${turns} messages of the user`]
  const features = featuresOf({ ...source, task, metadata: metadata as JsonObject }, lines, failure.signature)
  // A row has no files that were made small: the row of which the trial was is the item that is asked for.
  const near = await nearItems(dataset, features, columns === null ? item.itemId : null)
  const [nearest = null] = near
  const facts = {
    ...{ trial, failure: clean.text(failure.text, 'reason'), signature: failure.signature, minimised },
    ...{ removed: clean.removed(), nearest, notes: [...notes, ...script] },
  }
  if (nearest !== null && nearest.similarity >= nearCopy) {
    if (!choices.dryRun) await noteSeen(place, nearest.id, `${run.id}/${trial}`)
    return {
      ...facts,
      status: 'near-copy',
      item: nearest.id,
      path: null,
      files: counts,
      established: nothingEstablished,
    }
  }
  const ids = new Set(dataset?.entries.map(({ id }) => id))
  const id = freeName(into, choices.name ?? slugOf(failure), ids)
  const output = outputOf(item)
  const answer = output === undefined ? '' : asText(output)
  const ready: NewItem = {
    task,
    directories,
    answers: answer.trim() === '' ? {} : { [own]: clean.text(answer, 'answer') },
    fields,
  }
  const established = await establishedItem(place, id, ready)
  const all = { ...facts, removed: clean.removed(), item: id, files: counts, established }
  if (choices.dryRun)
    return { ...all, status: 'would-write', path: columns === null ? `regressions/${id}` : basename(into) }
  const { status } = established
  const path = await (columns === null
    ? addItem(into, id, ready, status)
    : addRow(into, id, ready, { columns, status }))
  return { ...all, status: 'written', path }
}

const nothingEstablished = { status: 'active', why: '' } as const

function unwritten(known: {
  readonly trial: string
  readonly failure: TrialFailure
  readonly item: string
  readonly status: 'known'
}): Promoted {
  const { trial, failure, item, status } = known
  return {
    ...{ trial, failure: failure.text, signature: failure.signature, status, item, path: null, files: null },
    ...{ minimised: null, nearest: null, established: nothingEstablished, notes: [] },
    removed: { secrets: [], machine: [], addresses: [], files: [] },
  }
}

/** The item of the dataset that the trial was of, if it is still the same; else what the trial recorded. */
async function sourceItem({ experiment }: PromotePlace, item: ItemResult): Promise<DatasetItem> {
  const { dataset } = experiment
  const stored = storedItem(item)
  if (typeof dataset !== 'string' && !(typeof dataset === 'object' && 'path' in dataset)) return stored
  const opened = await openFrom(dataset as string).catch(() => undefined)
  const now = await opened?.item(item.itemId).catch(() => undefined)
  return now !== undefined && now.hash === item.itemHash ? now : stored
}

/** The other files of an item, which its judges may name. */
async function extrasOf({ ofItems }: PromotePlace, { path }: DatasetItem): Promise<Readonly<Record<string, string>>> {
  const { datasetDirectory } = ofItems
  if (path === null || datasetDirectory === undefined) return {}
  const directory = join(datasetDirectory, path)
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const own = new Set(['before', 'reference', 'wrong'])
  return Object.fromEntries(
    entries.flatMap((entry) =>
      entry.isDirectory() && !own.has(entry.name) ? [[entry.name, join(directory, entry.name)]] : [],
    ),
  )
}

async function itemFiles(
  files: TrialFiles,
  cut: Cut,
  { reference: given }: PromoteChoices,
  projectDirectory: string,
  own: string,
) {
  const root = join(files.scratch, 'item')
  const [before, after] = [join(root, 'before'), join(root, 'after')]
  await writeCut(files, cut, { before, after })
  const reference = join(root, 'reference')
  if (given !== undefined) await directoryOrCommit(given, reference, projectDirectory)
  else if (files.reference !== null) {
    await mkdir(reference, { recursive: true })
    await copyTree(files.reference, reference, { ...copied, ignore: [], leaveOut: withDirectories(cut.gone) })
  }
  const hasReference = given !== undefined || files.reference !== null
  const [was, is] = [await snapshot(localWorkspace(before)), await snapshot(localWorkspace(after))]
  const { added, modified } = changes(was, is)
  const ofReference = hasReference
    ? changes(was, await snapshot(localWorkspace(reference)))
    : { added: [], modified: [] }
  // Laid over a reference, the wrong solution must undo what the reference does.
  const wrong = new Set(
    [...added, ...modified, ...ofReference.added, ...ofReference.modified].filter(
      (path) => is.files[path] !== undefined,
    ),
  )
  const place = join(root, 'wrong')
  for (const path of wrong) {
    await mkdir(dirname(join(place, own, path)), { recursive: true })
    await copyFile(join(after, path), join(place, own, path))
  }
  return {
    directories: {
      before,
      ...(hasReference ? { reference } : {}),
      ...(wrong.size > 0 ? { wrong: place } : {}),
    },
    counts: { before: Object.keys(was.files).length, wrong: wrong.size },
  }
}

function fieldsOf(
  { run, isOwn, experiment, juryName }: PromotePlace,
  item: ItemResult,
  source: DatasetItem,
  {
    failure,
    choices,
    minimised,
    hasFiles,
  }: {
    readonly failure: TrialFailure
    readonly choices: PromoteChoices
    readonly minimised: Promoted['minimised']
    readonly hasFiles: boolean
  },
): JsonObject {
  const { source: _, ...metadata } = source.metadata
  const { expectedOutput, expectedAnyOf, referenceData, input, tags, timeoutMs, image, judges } = source
  const expected =
    expectedOutput === null
      ? undefined
      : expectedAnyOf && expectedOutput.type === 'structured'
        ? expectedOutput.data
        : expectedOutput
  const fields = {
    tags: [...new Set([...tags, 'regression'])],
    ...(input === null ? {} : { input }),
    ...(expected === undefined ? {} : { expectedOutput: expected }),
    ...(referenceData.length === 0 ? {} : { referenceData }),
    ...(judges === null ? (juryName === undefined || isOwn ? {} : { judges: juryName }) : { judges }),
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(image === null ? {} : { image }),
    metadata: {
      ...metadata,
      ...(hasFiles ? {} : { workspace: 'none' }),
      ...scriptOf(saidBy(item, failure).messages, source),
      source: {
        kind: run.kind === 'rejudge' ? 'session' : 'trial',
        run: run.id,
        item: item.itemId,
        repetition: item.repetition,
        agent: run.configuration['agent'] ?? null,
        model: run.conditions['model'] ?? null,
        at: item.startedAt,
        judgment: failure.signature.judge,
        reason: failure.text,
        signature: failure.signature,
        trial: hashOf(JSON.stringify([item.itemHash, item.startedAt, item.repetition])),
        ...(isOwn ? {} : { jury: juryName ?? jurySaid(experiment) }),
        ...(minimised === null
          ? {}
          : {
              minimised: {
                from: minimised.from,
                to: minimised.to,
                judgments: minimised.judgments,
                ...(minimised.isStopped ? { stopped: true } : {}),
              },
            }),
        ...(choices.alike.length === 0 ? {} : { alike: choices.alike }),
      },
    },
  }
  return JSON.parse(JSON.stringify(fields)) as JsonObject
}

/** The messages of the user up to the one that was answered wrongly, and how many there were. */
function saidBy({ detail }: ItemResult, { turn = Infinity }: TrialFailure) {
  const turns = ownTurns((detail?.kind === 'agent' && detail.invocation.turns) || [], 'user')
  return { turns: turns.length, messages: turns.flatMap(({ number, text }) => (number <= turn ? [text] : [])) }
}

/** The script of a conversation, with the goal, the knowledge and the manner of its user. */
function scriptOf(messages: readonly string[], { task: prompt, input, metadata }: DatasetItem): JsonObject {
  if (messages.length === 0) return {}
  const scenario = scenarioOf({ prompt, metadata, ...(input === null ? {} : { input }) } as AgentTask)
  return { scenario: { ...scenario, messages } as JsonObject }
}

function jurySaid({ name, jury }: ExperimentOptions): string {
  return jury !== undefined && isJury(jury) ? `that of the experiment ${name}` : `the judge of the experiment ${name}`
}

/** Whether the item fails with nothing done, and passes with its reference. Models are not asked. */
async function establishedItem(
  { experiment, jury, signal, ofItems }: PromotePlace,
  id: string,
  ready: NewItem,
): Promise<Promoted['established']> {
  const { establish } = await import('@jurist/vet')
  const root = temporaryDirectory()
  try {
    await writeItem(join(root, 'item'), ready)
    const one = { schemaVersion: 1, name: 'promoted', version: '1', items: [{ id, path: 'item' }] }
    await writeFile(join(root, 'dataset.json'), JSON.stringify(one))
    const { filter: _filter, baseline: _baseline, variants: _variants, ...rest } = experiment
    const report = await establish(
      {
        ...rest,
        ...(ready.fields['judges'] === undefined && jury !== noJury ? { jury } : {}),
        ...(ofItems.describedJudges ? { describedJudges: ofItems.describedJudges } : {}),
        dataset: root,
        store: memoryStore(),
      },
      { repeat: 1, free: true, signal },
    )
    const [found] = report.items
    const said = (why: string, status: 'active' | 'disabled' = 'active') => ({ status, why })
    if (found === undefined) return said('not established: nothing was judged')
    if (found.trivial === true) return said('passes with nothing done', 'disabled')
    if (found.reference === null) return said('fails with nothing done, as it should; no reference')
    if (found.solvable === false) return said('the reference does not pass', 'disabled')
    return said('fails with nothing done, and passes with the reference')
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** The item that this very trial became, or was seen for. */
async function knownTrial({ dataset }: PromotePlace, trial: string, signature: Signature): Promise<string | undefined> {
  for (const { id } of dataset?.entries ?? []) {
    const item = await dataset?.item(id).catch(() => undefined)
    const source = item?.metadata['source'] as Readonly<Record<string, unknown>> | undefined
    if (source === undefined || typeof source !== 'object' || source === null) continue
    const name = `${String(source['run'])}/${String(source['item'])}#${String(source['repetition'])}`
    const theirs = source['signature'] as Signature | undefined
    if (name === trial && theirs !== undefined && keyOf(theirs) === keyOf(signature)) return id
  }
  return undefined
}

/** Notes beside an item that it was seen again. The item itself is not changed. */
async function noteSeen({ dataset, into }: PromotePlace, id: string, trial: string): Promise<void> {
  const path = dataset?.entries.find((entry) => entry.id === id)?.path
  if (path === undefined || path === null) return
  const file = join(into, path, 'seen.jsonl')
  const before = await readFile(file, 'utf8').catch(() => '')
  if (!before.includes(JSON.stringify(trial)))
    await appendFile(file, `${JSON.stringify({ trial, at: new Date().toISOString() })}\n`)
}

export function shownPlace({ into, columns }: PromotePlace, path: string, cwd: string): string {
  const whole = columns === null ? join(into, path) : into
  const from = relative(cwd, whole)
  return from.startsWith('..') || isAbsolute(from) ? (columns === null ? join(basename(into), path) : path) : from
}
