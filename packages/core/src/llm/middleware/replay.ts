import { JuristError } from '../../errors.js'
import { isPlainObject } from '../../json.js'
import { untilAborted } from '../../judge.js'
import { checkOptions, option, optionInvalid, printed } from '../../options.js'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse, ModelMessage } from '../model.js'
import { comparableMessages, requestKey } from './cached.js'
import type { ModelMiddleware } from './wrap-model.js'

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
function entriesOf(cassette: unknown): readonly CassetteEntry[] {
  if (isPlainObject(cassette) && cassette['format'] === format && Array.isArray(cassette['entries']))
    return cassette['entries'] as readonly CassetteEntry[]
  optionInvalid(
    'cassette',
    `replay: not a cassette: it must be { format: "${format}", entries: [...] }. Record it again.`,
  )
}

/** A cassette during playback and recording. */
interface Tape {
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
function tapeOf(recorded: readonly CassetteEntry[], store?: CassetteStore): Tape {
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
function loadedOnce(store: CassetteStore): () => Promise<Tape> {
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

/**
 * Returns a middleware that answers from a cassette, so that a judge by a model always gives the same result, without a
 * network and without a key. Equal requests are answered in the order in which they were recorded, and the last answer
 * repeats. So `auto` asks the model for each of several concurrent equal requests.
 *
 * @param cassette a cassette, or a store that has one
 * @param options `mode`: `'replay'` (default) never asks the model, an unknown request is a `replay-miss`; `'record'`
 * always asks and appends; `'auto'` replays known requests and records the rest. A call that fails is not recorded
 * @throws `option-invalid`, also for recording into a cassette that is not a store
 *
 * @example
 * import { replay, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * wrapModel(scriptedModel('Answer: YES'), replay({ format: 'jurist-cassette/1', entries: [] }))
 */
export function replay(
  cassette: Cassette | CassetteStore,
  options?: { readonly mode?: 'replay' | 'record' | 'auto' },
): ModelMiddleware {
  const { mode = 'replay' } = checkOptions('replay', options, { mode: option.oneOf('replay', 'record', 'auto') })
  const tapeFor = tapeSource(cassette, mode)
  return function replay(model) {
    const load = tapeFor()
    const keyOf = inOrder(async (request: JudgeModelRequest) => {
      const tape = await load()
      return { tape, key: await requestKey(request) }
    })
    return (async (request) => {
      const { tape, key } = await untilAborted(keyOf(request), request.signal)
      const known = mode === 'record' ? undefined : tape.play(key)
      if (known !== undefined) return known
      if (mode === 'replay') throw replayMiss(key, request)
      return recorded(tape, key, request, model)
    }) satisfies JudgeModel
  }
}

async function recorded(
  tape: Tape,
  key: string,
  request: JudgeModelRequest,
  model: JudgeModel,
): Promise<JudgeModelResponse> {
  const { keep, drop } = tape.place(key, request)
  const response = await orElse(() => untilAborted(model(request), request.signal), drop)
  await keep(response)
  return response
}

/** Runs `otherwise` before it rethrows. */
async function orElse<Value>(step: () => Value | Promise<Value>, otherwise: () => void): Promise<Value> {
  try {
    return await step()
  } catch (thrown) {
    otherwise()
    throw thrown
  }
}

/** A store is loaded once for all wrapped models; a cassette is played from the beginning by each. */
function tapeSource(cassette: Cassette | CassetteStore, mode: string): () => () => Promise<Tape> {
  if (isStore(cassette)) {
    const load = loadedOnce(cassette)
    return () => load
  }
  if (mode !== 'replay')
    optionInvalid('mode', `replay: mode "${mode}" needs a place to save to. Give a store, such as cassetteFile(path).`)
  const entries = entriesOf(cassette)
  return () => {
    const tape = Promise.resolve(tapeOf(entries))
    return () => tape
  }
}

function isStore(cassette: Cassette | CassetteStore): cassette is CassetteStore {
  const { load, save } = (cassette ?? {}) as Partial<CassetteStore>
  return typeof load === 'function' && typeof save === 'function'
}

/** The results are in the order of the calls. */
function inOrder<Input, Output>(step: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve()
  return function next(input) {
    const own = Promise.allSettled([last, step(input)]).then(([, result]) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
    last = own
    return own
  }
}

function replayMiss(key: string, { messages }: JudgeModelRequest): JuristError<'replay-miss'> {
  return new JuristError(
    'replay-miss',
    `The cassette has no answer to ${printed(messages.at(-1)?.content ?? '')} (${key.slice(0, 12)}). The prompt, its data ` +
      'or the options have changed since it was recorded: record it again with mode "auto".',
    { key },
  )
}
