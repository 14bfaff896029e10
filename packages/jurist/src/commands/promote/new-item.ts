import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type AgentTask, asText, type JsonObject } from '@jurist/core'
import { isJury, ownTurns, scenarioOf } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'
import { outputOf } from '@jurist/experiment/internal/results'
import { memoryStore } from '@jurist/experiment/store'
import { changes, localWorkspace, snapshot } from '@jurist/workspace'
import { copyTree, temporaryDirectory } from '@jurist/workspace/internal'
import { noJury } from '../rejudge.js'
import { hashOf } from './failure.js'
import type { Promotion } from './promotion.js'
import { type Cut, copied, directoryOrCommit, withDirectories, writeCut } from './trial-files.js'
import { type NewItem, writeItem } from './write-item.js'

/** The task that the next agent gets. */
export interface Asked {
  readonly task: string
  readonly input: JsonObject | null
  /** Of a conversation: the messages of the user. */
  readonly messages: readonly string[]
}

/** Returns the task of the trial; of a conversation up to the message that was answered wrongly. */
export function askedOf({ item: { detail }, source: { task, input }, failure: { turn = Infinity } }: Promotion) {
  const turns = ownTurns((detail?.kind === 'agent' && detail.invocation.turns) || [], 'user')
  const messages = turns.flatMap(({ number, text }) => (number <= turn ? [text] : []))
  return { asked: { task, input, messages } satisfies Asked, turns: turns.length }
}

/** Makes the item in the scratch directory: what is left of the files, what is asked, and what the trial did as a wrong solution. */
export async function newItem(
  promotion: Promotion,
  cut: Cut,
  asked: Asked,
  reduced: JsonObject,
): Promise<NewItem & { readonly counts: { readonly before: number; readonly wrong: number } | null }> {
  const { item, clean, source, files, ofItems } = promotion
  const own = `${item.itemId}-${item.repetition}`.replace(/[^\w.-]/g, '_')
  const made = files.missing === null ? await itemFiles(promotion, cut, own) : { directories: {}, counts: null }
  const output = outputOf(item)
  const answer = output === undefined ? '' : asText(output)
  return {
    task: clean.text(asked.task, 'task'),
    directories: { ...(await extrasOf(source.path, ofItems.datasetDirectory)), ...made.directories },
    answers: answer.trim() === '' ? {} : { [own]: clean.text(answer, 'answer') },
    fields: clean.json(fieldsOf(promotion, asked, reduced), 'item.json'),
    counts: made.counts,
  }
}

/** The other files of an item, which its judges may name. */
async function extrasOf(path: string | null, dataset: string | undefined): Promise<Readonly<Record<string, string>>> {
  if (path === null || dataset === undefined) return {}
  const directory = join(dataset, path)
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const own = new Set(['before', 'reference', 'wrong'])
  return Object.fromEntries(
    entries.flatMap((entry) =>
      entry.isDirectory() && !own.has(entry.name) ? [[entry.name, join(directory, entry.name)]] : [],
    ),
  )
}

async function itemFiles({ files, reference: given, projectDirectory }: Promotion, cut: Cut, own: string) {
  const root = join(files.scratch, 'item')
  await rm(root, { recursive: true, force: true })
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
  const done = changes(was, is)
  const right = hasReference ? changes(was, await snapshot(localWorkspace(reference))) : { added: [], modified: [] }
  // Laid over a reference, the wrong solution must undo what the reference does.
  const all = new Set([...done.added, ...done.modified, ...right.added, ...right.modified])
  const wrong = [...all].filter((path) => is.files[path] !== undefined)
  for (const path of wrong) {
    const to = join(root, 'wrong', own, path)
    await mkdir(dirname(to), { recursive: true })
    await copyFile(join(after, path), to)
  }
  return {
    directories: {
      before,
      ...(hasReference ? { reference } : {}),
      ...(wrong.length > 0 ? { wrong: join(root, 'wrong') } : {}),
    },
    counts: { before: Object.keys(was.files).length, wrong: wrong.length },
  }
}

function fieldsOf(promotion: Promotion, { input, messages }: Asked, reduced: JsonObject): JsonObject {
  const { run, item, isOwn, experiment, juryName, failure, files, alike } = promotion
  const { source: _, ...metadata } = promotion.source.metadata
  const { expectedOutput, expectedAnyOf, referenceData, tags, timeoutMs, image, judges } = promotion.source
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
      ...(files.missing === null ? {} : { workspace: 'none' }),
      ...scriptOf(messages, promotion),
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
        ...reduced,
        ...(alike.length === 0 ? {} : { alike }),
      },
    },
  }
  return JSON.parse(JSON.stringify(fields)) as JsonObject
}

/** The script of a conversation, with the goal, the knowledge and the manner of its user. */
function scriptOf(messages: readonly string[], { source: { task: prompt, input, metadata } }: Promotion): JsonObject {
  if (messages.length === 0) return {}
  const scenario = scenarioOf({ prompt, metadata, ...(input === null ? {} : { input }) } as AgentTask)
  return { scenario: { ...scenario, messages } as JsonObject }
}

function jurySaid({ name, jury }: ExperimentOptions): string {
  return jury !== undefined && isJury(jury) ? `that of the experiment ${name}` : `the judge of the experiment ${name}`
}

/** The experiment of the trial over one new item, in a directory of its own; nothing of it is stored. */
export async function experimentOver(
  { experiment, jury, ofItems }: Promotion,
  id: string,
  item: NewItem,
): Promise<AsyncDisposable & { readonly options: ExperimentOptions }> {
  const root = temporaryDirectory()
  await writeItem(join(root, 'item'), item)
  const one = { schemaVersion: 1, name: 'promoted', version: '1', items: [{ id, path: 'item' }] }
  await writeFile(join(root, 'dataset.json'), JSON.stringify(one))
  const { filter: _filter, baseline: _baseline, requireCleanGit: _clean, bail: _bail, ...rest } = experiment
  return {
    options: {
      ...rest,
      ...(item.fields['judges'] === undefined && jury !== noJury ? { jury } : {}),
      ...(ofItems.describedJudges ? { describedJudges: ofItems.describedJudges } : {}),
      ...{ dataset: root, store: memoryStore(), preserveWorkspaces: 'none' },
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

/** Whether an item can be used, and what is known of it. */
export interface EstablishedNew {
  readonly status: 'active' | 'disabled'
  readonly why: string
}

/** Whether the item fails with nothing done, and passes with its reference. Models are not asked. */
export async function establishedItem(promotion: Promotion, id: string, item: NewItem): Promise<EstablishedNew> {
  const { establish } = await import('@jurist/vet')
  await using one = await experimentOver(promotion, id, item)
  const { variants: _, matrix: __, ...experiment } = one.options
  const { items } = await establish(experiment, { repeat: 1, free: true })
  const [found] = items
  const said = (why: string, status: 'active' | 'disabled' = 'active') => ({ status, why })
  if (found === undefined) return said('not established: nothing was judged')
  if (found.trivial === true) return said('passes with nothing done', 'disabled')
  if (found.reference === null) return said('fails with nothing done, as it should; no reference')
  if (found.solvable === false) return said('the reference does not pass', 'disabled')
  return said('fails with nothing done, and passes with the reference')
}
