import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { JudgeScorerResult } from '../result/judge-detail.js'
import type { ItemResult } from '../result/records.js'

/** Where a trial keeps what its report needs beside the judgment: scorers and functions are not stored. */
const key = 'calibration'

/** What a trial of a calibration keeps. */
export interface KeptFacts {
  readonly cluster: string | null
  readonly annotators: Readonly<Record<string, string | number>> | null
  /** What the scorer made of each member of a jury: whether it agreed; `null`: not scored. */
  readonly members: Readonly<Record<string, boolean | null>> | null
  /** What the scorer made of the judgment of the swapped context. */
  readonly swapped: JudgeScorerResult | null
}

/** The metadata of a trial that keeps some facts. */
export function withFacts(metadata: JsonObject, { cluster, annotators, members, swapped }: KeptFacts): JsonObject {
  return { ...metadata, [key]: { cluster, annotators, members, swapped: swapped === null ? null : { ...swapped } } }
}

const none: KeptFacts = { cluster: null, annotators: null, members: null, swapped: null }

/** The facts that a trial keeps; none when the run was made by hand. */
export function factsOf({ metadata }: ItemResult): KeptFacts {
  const kept = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return isPlainObject(kept) ? { ...none, ...(kept as Partial<KeptFacts>) } : none
}
