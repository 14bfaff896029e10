import { runKindWords } from '@jurist/experiment/internal/results'
import type { RunEntry } from '@jurist/experiment/store'
import { type Column, safeLine } from '@jurist/kit/terminal'
import { dateAndTime } from './marks.js'

/** The first columns of a table of runs: what names a run. */
export const runColumns: readonly Column[] = [
  { title: 'RUN', shrinks: false },
  { title: 'STARTED', shrinks: false },
  { title: 'EXPERIMENT', shrinks: true },
  { title: 'VARIANT', shrinks: true },
  { title: 'KIND', shrinks: false },
]

/** The cells of a run below `runColumns`. */
export function runCells({ id, startedAt, experimentName, variant, kind }: RunEntry): readonly string[] {
  return [id, dateAndTime(startedAt), safeLine(experimentName), safeLine(variant ?? ''), runKindWords[kind]]
}
