import { JuristError } from '../../errors.js'
import { untilAborted } from '../../judge.js'
import { checkOptions, option, optionInvalid, printed } from '../../options.js'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse } from '../model.js'
import { requestKey } from './cached.js'
import { type Cassette, type CassetteStore, entriesOf, loadedOnce, type Tape, tapeOf } from './cassette.js'
import type { ModelMiddleware } from './wrap-model.js'

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
