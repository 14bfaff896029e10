import type { JudgeModelRequest, JudgeModelResponse } from '../model.js'
import type { CassetteEntry, CassetteStore } from './cassette.js'
import { cassetteOf, entriesOf } from './cassette.js'
import { comparableMessages } from './request-key.js'

/** A cassette while it is played and recorded. */
export interface Tape {
  /** The next answer to a request of this key; the last one repeats. */
  play(key: string): JudgeModelResponse | undefined
  /**
   * Notes the place of a call that begins now. The function given back puts its answer there, and resolves when that is
   * saved.
   */
  place(key: string, request: JudgeModelRequest): (response: JudgeModelResponse) => Promise<void>
}

/** A place on the tape; empty until its call has ended. */
interface Place {
  readonly key: string
  entry?: CassetteEntry
}

/** A tape of what was recorded before; what is added to it is saved in `store`. */
export function tapeOf(recorded: readonly CassetteEntry[], store?: CassetteStore): Tape {
  const places: Place[] = recorded.map((entry) => ({ key: entry.key, entry }))
  const byKey = new Map<string, Place[]>()
  for (const place of places) placesOf(place.key).push(place)
  const played = new Map<string, number>()
  const save = coalesced(async () => {
    await store?.save(cassetteOf(places.flatMap(({ entry }) => entry ?? [])))
  })

  function placesOf(key: string): Place[] {
    const found = byKey.get(key) ?? []
    byKey.set(key, found)
    return found
  }

  return {
    play(key) {
      const ready = placesOf(key).flatMap(({ entry }) => entry ?? [])
      const index = Math.min(played.get(key) ?? 0, ready.length - 1)
      played.set(key, index + 1)
      return ready[index]?.response
    },
    place(key, request) {
      const place: Place = { key }
      places.push(place)
      placesOf(key).push(place)
      // The nth request of a key has the nth answer, whether it was played or recorded.
      played.set(key, (played.get(key) ?? 0) + 1)
      return (response) => {
        place.entry = { key, messages: comparableMessages(request), response }
        return save()
      }
    },
  }
}

/** Loads a cassette once, at first use; a load that fails is tried again by the next who asks. */
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

/** Runs a step for all who ask while it runs once more, after it: each gets a run that began after it asked. */
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
