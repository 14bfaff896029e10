import { JuristError } from '../../errors.js'
import { isPlainObject } from '../../json.js'
import type { JudgeModelResponse, ModelMessage } from '../model.js'

/** One call as it was recorded. */
export interface CassetteEntry {
  /** The `requestKey` of the request. */
  readonly key: string
  /** What was asked, to be read by people; the number of a fence stands as `FENCE`. */
  readonly messages: readonly ModelMessage[]
  readonly response: JudgeModelResponse
}

/** Recorded calls. Entries of equal keys are in the order of the calls. */
export interface Cassette {
  readonly format: 'jurist-cassette/1'
  readonly entries: readonly CassetteEntry[]
}

/** Where a cassette is kept. One on disk: `cassetteFile` of `@jurist/experiment/store`. */
export interface CassetteStore {
  /** `undefined` when nothing was recorded yet. */
  load(): Promise<Cassette | undefined>
  save(cassette: Cassette): Promise<void>
}

const format = 'jurist-cassette/1'

/** A cassette of these entries. */
export function cassetteOf(entries: readonly CassetteEntry[]): Cassette {
  return { format, entries }
}

/** The entries of a cassette; `option-invalid` for what is none. */
export function entriesOf(cassette: unknown): readonly CassetteEntry[] {
  if (isPlainObject(cassette) && cassette['format'] === format && Array.isArray(cassette['entries']))
    return cassette['entries'] as readonly CassetteEntry[]
  throw new JuristError(
    'option-invalid',
    `replay: not a cassette: it must be { format: "${format}", entries: [...] }. Record it again.`,
    { option: 'cassette' },
  )
}
