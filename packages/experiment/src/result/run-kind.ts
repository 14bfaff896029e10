import type { RunRecord } from './records.js'

/** The kinds of runs in words: agents ran, judges were calibrated, or stored trials were judged again. */
export const runKindWords: Readonly<Record<RunRecord['kind'], string>> = {
  agent: 'run',
  judge: 'calibration',
  rejudge: 'rejudged',
}
