import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { journalFile } from '@jurist/experiment/internal'
import { type TrialName, trialKey, trialsOf } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { parseObject } from '@jurist/kit/json'
import type { ReadableDirectories } from './changes.js'
import { type JournalDocument, readDocument } from './journals.js'

export interface UnfinishedDocument {
  readonly trials: readonly RunningTrial[]
}

/** A trial without a result. */
interface RunningTrial extends TrialName {
  /** The worker that runs it. The journal comes with its result. */
  readonly worker?: string
}

interface UnfinishedTrial extends TrialName {
  readonly file: string
}

/** Lists the trials that are running. The list is empty when the run has ended. */
export async function unfinishedDocument(
  directories: ReadableDirectories,
  run: RunResult,
): Promise<UnfinishedDocument> {
  if (run.status !== 'running') return { trials: [] }
  const here = await unfinishedTrials(directories, run)
  const workers = (await directories.workers?.()) ?? []
  const elsewhere = workers.flatMap(({ id, trials }) =>
    trials.flatMap(({ run: of, itemId, repetition }) => (of === run.id ? [{ itemId, repetition, worker: id }] : [])),
  )
  return { trials: [...here.map(({ itemId, repetition }) => ({ itemId, repetition })), ...elsewhere] }
}

/** Finds the journal of a trial without a result; `undefined` for any other trial. */
export async function unfinishedJournal(
  directories: ReadableDirectories,
  run: RunResult,
  { itemId, repetition }: TrialName,
  query: URLSearchParams,
): Promise<JournalDocument | undefined> {
  const trials = await unfinishedTrials(directories, run)
  const found = trials.find((trial) => trial.itemId === itemId && trial.repetition === repetition)
  return found && readDocument(found.file, query, run.status === 'running')
}

const journals = 'journal'
/** The first line of a journal names its trial. */
const maxHeaderBytes = 4_096

async function unfinishedTrials(directories: ReadableDirectories, run: RunResult): Promise<readonly UnfinishedTrial[]> {
  const { directory } = directories
  if (directory === undefined) return []
  const names = await readdir(join(directory, run.experimentName, run.id, journals)).catch(() => [])
  const finished = new Set(trialsOf(run).map(({ itemId, repetition }) => trialKey({ itemId, repetition })))
  // If a file has an ordinary name, the name alone shows that the trial has ended.
  const isOpen = (name: string) => !finished.has(name.replace(/--(\d+)\.jsonl$/, '\n$1'))
  const found: UnfinishedTrial[] = []
  for (const name of names.filter((one) => one.endsWith('.jsonl')).filter(isOpen)) {
    const file = await journalFile(directory, run, { journalPath: `${journals}/${name}` })
    const trial = file === undefined ? undefined : await trialIn(file)
    if (file !== undefined && trial !== undefined && !finished.has(trialKey(trial))) found.push({ ...trial, file })
  }
  return found
}

async function trialIn(file: string): Promise<TrialName | undefined> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0)
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n')
    const { itemId, repetition } = parseObject(line) ?? {}
    return typeof itemId === 'string' && typeof repetition === 'number' ? { itemId, repetition } : undefined
  } finally {
    await handle.close()
  }
}
