import { isPlainObject } from '../../json.js'
import { optionInvalid } from '../../options.js'
import type { JudgeModelRequest, JudgeModelResponse, ModelMessage } from '../model.js'
import { comparableMessages } from './cached.js'

/** One recorded call. */
export interface CassetteEntry {
  /** The `requestKey` of the request. */
  readonly key: string
  /** The messages, for readers; the number of a fence is written as `FENCE`. */
  readonly messages: readonly ModelMessage[]
  readonly response: JudgeModelResponse
}

/** Recorded calls. Entries of equal keys are in the order of the calls. */
export interface Cassette {
  readonly format: 'jurist-cassette/1'
  readonly entries: readonly CassetteEntry[]
}

/** Loads and saves a cassette. `cassetteFile` of `@jurist/experiment/store` keeps one on disk. */
export interface CassetteStore {
  /** Returns `undefined` when nothing was recorded yet. */
  load(): Promise<Cassette | undefined>
  save(cassette: Cassette): Promise<void>
}

const format = 'jurist-cassette/1'

/** Throws `option-invalid` for anything but a cassette. */
export function entriesOf(cassette: unknown): readonly CassetteEntry[] {
  if (isPlainObject(cassette) && cassette['format'] === format && Array.isArray(cassette['entries']))
    return cassette['entries'] as readonly CassetteEntry[]
  optionInvalid(
    'cassette',
    `replay: not a cassette: it must be { format: "${format}", entries: [...] }. Record it again.`,
  )
}

/** A cassette during playback and recording. */
export interface Tape {
  /**
   * Returns the next answer for the key. The last one repeats, but not while a call of this key is running: its answer
   * may be recorded after the last one, and a replay would then return that.
   */
  play(key: string): JudgeModelResponse | undefined
  /** Reserves the place of a call that begins now. */
  place(key: string, request: JudgeModelRequest): Recording
}

interface Recording {
  /** Records the answer, and resolves when it is saved. */
  readonly keep: (response: JudgeModelResponse) => Promise<void>
  /** Releases the place after a failed call. */
  readonly drop: () => void
}

/** Empty until the call has ended. */
interface Place {
  readonly key: string
  entry?: CassetteEntry
}

/** New recordings are saved in `store`. */
export function tapeOf(recorded: readonly CassetteEntry[], store?: CassetteStore): Tape {
  const places: Place[] = recorded.map((entry) => ({ key: entry.key, entry }))
  const byKey = new Map<string, Place[]>()
  for (const place of places) placesOf(place.key).push(place)
  const played = new Map<string, number>()
  const save = coalesced(async () => {
    await store?.save({ format, entries: places.flatMap(({ entry }) => entry ?? []) })
  })

  function placesOf(key: string): Place[] {
    const found = byKey.get(key) ?? []
    byKey.set(key, found)
    return found
  }

  return {
    play(key) {
      const known = placesOf(key)
      const count = played.get(key) ?? 0
      const isRepeat = count >= known.length
      if (isRepeat && known.some(({ entry }) => entry === undefined)) return undefined
      const response = known[isRepeat ? known.length - 1 : count]?.entry?.response
      if (response !== undefined) played.set(key, count + 1)
      return response
    },
    place(key, request) {
      const place: Place = { key }
      places.push(place)
      placesOf(key).push(place)
      // The nth request of a key has the nth answer, whether it was played or recorded.
      played.set(key, (played.get(key) ?? 0) + 1)
      return {
        keep(response) {
          place.entry = { key, messages: comparableMessages(request), response }
          return save()
        },
        drop() {
          remove(places, place)
          remove(placesOf(key), place)
        },
      }
    },
  }
}

function remove(places: Place[], place: Place): void {
  const index = places.indexOf(place)
  if (index >= 0) places.splice(index, 1)
}

/** Loads at first use. A failed load is tried again at the next use. */
export function loadedOnce(store: CassetteStore): () => Promise<Tape> {
  let tape: Promise<Tape> | undefined
  return async function load() {
    const loading = tape ?? store.load().then((cassette) => tapeOf(cassette ? entriesOf(cassette) : [], store))
    tape = loading
    try {
      return await loading
    } catch (thrown) {
      if (tape === loading) tape = undefined
      throw thrown
    }
  }
}

/** All callers during a run share one further run after it, so that each gets a run that began after its call. */
function coalesced(step: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return function run() {
    next ??= running.then(() => {
      running = (next ?? running).catch(() => undefined)
      next = undefined
      return step()
    })
    return next
  }
}
