import { resultWithItems } from '@jurist/experiment/internal/results'
import { calibrationDocument, cascadeDocument, labelledDocument } from './answers/calibration.js'
import type { RunReader } from './answers/run-reader.js'
import type { ReadableDirectories } from './files/changes.js'
import { fileAnswer } from './files/file-answer.js'
import { type LabelPlaces, storedLabels } from './files/stored-labels.js'

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
