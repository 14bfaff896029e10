import { type TraceFile, unreadable } from '../traces/trace-files.js'
import type { Trajectory } from '../traces/trajectory.js'
import type { InspectSample } from './log-schema.js'
import type { InspectLog } from './read-log.js'
import { type SampleScore, scoresOf } from './sample-scores.js'
import { outputOf, questionOf, trajectoryOf } from './sample-trajectory.js'
import { keyOf } from './trial-key.js'

/** What a sample says beside its conversation and scores. */
export type SampleFacts = Pick<
  InspectSample,
  'id' | 'epoch' | 'target' | 'metadata' | 'limit' | 'error' | 'working_time'
>

/** What is kept of a sample. */
export interface ReadSample {
  readonly sample: SampleFacts
  readonly question: string
  readonly output: string | undefined
  readonly scores: readonly SampleScore[]
  readonly trajectory: Trajectory
}

/** What a log holds, in memory. */
export interface ReadLog {
  readonly samples: readonly ReadSample[]
  /** What is not taken over, and what is odd. */
  readonly notes: readonly string[]
}

/**
 * Reads the samples of a log, one after the other.
 *
 * @throws `usage-invalid` for a sample that is there twice
 */
export async function readSamples(file: TraceFile, log: InspectLog): Promise<ReadLog> {
  const { model } = log.header.eval
  const samples: ReadSample[] = []
  const notes = new Map<string, number>()
  const note = (text: string) => void notes.set(text, (notes.get(text) ?? 0) + 1)
  const known = new Set<string>()
  for await (const one of log.samples) {
    const key = keyOf(one.id, one.epoch)
    if (known.has(key)) throw unreadable(file.shown, [`sample ${one.id} is there twice in epoch ${one.epoch}`])
    known.add(key)
    const trajectory = trajectoryOf(one, model)
    const scores = scoresOf(one)
    samples.push({ sample: kept(one), question: questionOf(one), output: outputOf(one), scores, trajectory })
    for (const field of trajectory.unread) note(`${field}: unknown`)
    for (const { name, value, number } of scores)
      if (number === undefined) note(`${name}: the value ${JSON.stringify(value)} has no number, so its judge abstains`)
    if (one.limit) note(`limit: ended at a ${one.limit.type} limit`)
    if (one.error) note('error: not judged, as in the figures of Inspect')
  }
  const keys = log.keys()
  const keyed =
    keys === 0 ? [] : [`what looks like a key is *** in the run (${keys} ${keys === 1 ? 'string' : 'strings'})`]
  return {
    samples,
    notes: [...headNotes(log, samples), ...keyed, ...[...notes].map(([text, count]) => counted(text, count))],
  }
}

function kept({ id, epoch, target, metadata, limit, error, working_time }: InspectSample): SampleFacts {
  return { id, epoch, target, metadata, limit, error, working_time }
}

function counted(text: string, count: number): string {
  return `${text} (${count} ${count === 1 ? 'trial' : 'trials'})`
}

function headNotes({ header, isUnfinished }: InspectLog, samples: readonly ReadSample[]): readonly string[] {
  const { results, status, error } = header
  const total = results?.total_samples
  return [
    ...(isUnfinished ? ['the log is not finished: it has no results'] : []),
    ...(!isUnfinished && status !== 'success' && status
      ? [`the evaluation ended with "${status}"${error ? `: ${error.message.split('\n', 1)[0]}` : ''}`]
      : []),
    ...(samples.length > 0 && samples.every(({ scores }) => scores.length === 0)
      ? ['it has no scores: judge its run with jurist rejudge RUN --jury NAME']
      : []),
    ...(typeof total === 'number' && total !== samples.length
      ? [`the log counts ${total} samples and holds ${samples.length}`]
      : []),
  ]
}
