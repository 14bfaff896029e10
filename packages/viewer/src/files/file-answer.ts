import { type ExplainedFinding, explainedTrials } from '@jurist/experiment/internal'
import { itemsOf, readBehaviour, resultWithItems, trialPrompt, trialText } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { calibrationDocument, cascadeDocument, labelledDocument } from '../answers/calibration.js'
import { findTrial } from '../answers/item.js'
import type { RunReader } from '../answers/run-reader.js'
import { behaviourBetween, behaviourDocument } from './behaviour.js'
import {
  type Against,
  changesBetween,
  comparedDirectories,
  type FileContent,
  fileContent,
  type ReadableDirectories,
  unifiedChanges,
} from './changes.js'
import { journalDocument, trialEvents, unfinishedDocument, unfinishedJournal } from './journals.js'
import { type LabelPlaces, storedLabels } from './stored-labels.js'

/** Why a trial did not pass. */
export interface WhyDocument {
  readonly findings: readonly ExplainedFinding[]
}

export interface FileDocument {
  readonly path: string
  readonly before: FileContent
  readonly after: FileContent
}

/**
 * Returns the documents that are read from files: the behaviour of the agents in a run, its trials without a result,
 * the journal of a trial, why it did not pass, the changes of its workspace, and one of its files.
 *
 * @returns `undefined` if there is no such document, and for every other path
 */
export async function fileAnswer(
  directories: ReadableDirectories,
  reader: RunReader,
  path: readonly string[],
  query: URLSearchParams,
): Promise<unknown> {
  const [kind, id = '', items, itemId, repetition, part] = path
  if (kind !== 'runs') return undefined
  const run = await reader.run(id)
  if (run === undefined) return undefined
  if (items === 'behaviour' && path.length === 3) {
    await directories.fetch?.(run)
    return behaviourDocument(directories, run)
  }
  if (items === 'behaviour' && path.length === 4 && itemId !== undefined) {
    const baseline = await reader.run(itemId)
    if (baseline === undefined) return undefined
    for (const one of [baseline, run]) await directories.fetch?.(one)
    const eventsOf = (of: RunResult, item: ItemResult) => trialEvents(directories, of, item)
    return behaviourBetween(await readBehaviour(baseline, run, itemsOf, eventsOf))
  }
  if (items === 'unfinished' && path.length === 3) return unfinishedDocument(directories, run)
  if (items !== 'items' || path.length !== 6 || itemId === undefined) return undefined
  const trial = { itemId, repetition: Number(repetition) }
  const found = await findTrial(run, trial)
  if (found === undefined) return part === 'journal' ? unfinishedJournal(directories, run, trial, query) : undefined
  const { item } = found
  await directories.fetch?.(run, [trial])
  switch (part) {
    case 'journal':
      return journalDocument(directories, run, item, query)
    case 'changes':
      return changesAnswer(directories, run, item, query)
    case 'why':
      return {
        findings:
          (await explainedTrials(run, [item], (one) => trialEvents(directories, run, one))).get(trialText(item)) ?? [],
      }
    case 'prompt':
      return promptDocument(directories, run, item)
    case 'file':
      return fileDocument(directories, run, item, query)
    default:
      return undefined
  }
}

async function changesAnswer(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
  query: URLSearchParams,
) {
  const compared = await comparedDirectories(directories, run, item, againstOf(query))
  return 'state' in compared ? compared : changesBetween(compared)
}

async function fileDocument(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
  query: URLSearchParams,
): Promise<FileDocument | undefined> {
  const path = query.get('path') ?? ''
  const compared = await comparedDirectories(directories, run, item, againstOf(query))
  if ('state' in compared || path === '') return undefined
  const [before, after] = [await fileContent(compared.before, path), await fileContent(compared.after, path)]
  return before.kind === 'absent' && after.kind === 'absent' ? undefined : { path, before, after }
}

function againstOf(query: URLSearchParams): Against {
  const against = query.get('against')
  return against === 'reference' || against === 'nothing' ? against : 'before'
}

export interface PromptDocument {
  readonly text: string
}

/** Includes what the agent changed in its workspace. */
async function promptDocument(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
): Promise<PromptDocument> {
  const compared = await comparedDirectories(directories, run, item, 'before')
  const changes = 'state' in compared ? compared.reason : await unifiedChanges(compared, maxFiles)
  return { text: trialPrompt(item, { run, changes }) }
}

/** A prompt contains no more files. */
const maxFiles = 50

/**
 * Returns the documents that a report of one file contains instead of computing them: those that are read from files,
 * and calibrations, whose statistics would make the file larger.
 *
 * @returns `undefined` if there is no such document, and for every other path
 */
export async function serverAnswer(
  directories: ReadableDirectories & LabelPlaces,
  reader: RunReader,
  path: readonly string[],
  query: URLSearchParams,
): Promise<unknown> {
  const [kind, id = '', part] = path
  if (kind !== 'runs' || part !== 'calibration') return fileAnswer(directories, reader, path, query)
  const run = path.length === 3 ? await reader.run(id) : undefined
  if (run === undefined) return undefined
  const result = await resultWithItems(run)
  if (run.kind !== 'judge') return labelledDocument(result, await storedLabels(directories, run))
  return (await cascadeDocument(result, reader)) ?? calibrationDocument(result)
}
