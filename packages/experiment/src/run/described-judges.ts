import type { Json, Jury } from '@jurist/core'
import type { Place } from '@jurist/core/internal'

/** Where the described judges of an item are, and what they may do. */
export interface JudgesReading {
  /** Paths of the judges are relative to it. `null`: the directory is not known, and judges cannot name paths. */
  readonly directory: string | null
  /** The directory that paths may not leave; `null`: they may lead anywhere. */
  readonly root: string | null
  /** Whether the judges may load modules and describe models, as those of a config may. */
  readonly isTrusted: boolean
  /** Whether the judges may run commands. */
  readonly mayRunCommands: boolean
  /** Receives each problem with its place in the judges. */
  report(place: Place, problem: string, remedy: string): void
}

/** Makes a jury of the judges that an item describes. Reports every problem; `undefined` when there is one. */
export type DescribedJudges = (judges: Json, reading: JudgesReading) => Promise<Jury | undefined>
