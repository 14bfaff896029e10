import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { type JudgmentContext, judgmentContext } from '@jurist/core'
import type { JudgeModel, JudgeModelRequest } from '@jurist/core/llm'
import { describe, expect, test } from 'vitest'
import type { ContextExtras } from '../../src/context/extras.js'
import { contextOf, type RunOutcome } from '../../src/context/outcome.js'
import { bridgeOf } from '../../src/run/bridge.js'
import {
  type ContextBridge,
  contextBridgeContract,
  type ModelAbilities,
  modelBridgeContract,
  type ScriptedServer,
} from '../../testing/index.js'

type Harness = Parameters<typeof contextBridgeContract>[0]

/** The names of the tests of a contract that fail, of all of them or of one. */
async function failing(declare: (harness: Harness) => void, only?: string) {
  const tests: (readonly [name: string, body: () => unknown])[] = []
  declare({ describe: (_, body) => body(), test: (name, body) => void tests.push([name, body]) })
  const failed: string[] = []
  const chosen = tests.filter(([name]) => only === undefined || name === only)
  for (const [name, body] of chosen)
    try {
      await body()
    } catch {
      failed.push(name)
    }
  return { failed, count: chosen.length }
}

interface Ended {
  readonly end?: string
  readonly text?: string
}
const statuses = { ok: 'success', cut: 'success', no: 'refused', broken: 'failed' } as const

type Read = (result: Ended | null | undefined, extras: ContextExtras) => JudgmentContext

const read = (result: Ended | null | undefined): RunOutcome => {
  const end = typeof result?.end === 'string' ? result.end : ''
  const status = Object.hasOwn(statuses, end) ? statuses[end as keyof typeof statuses] : 'unknown'
  const text = typeof result?.text === 'string' && result.text !== '' ? result.text : undefined
  const output = text === undefined ? undefined : ({ type: 'text', text } as const)
  return { status, output, facts: { truncated: end === 'cut' ? true : undefined } }
}
const sound: Read = (result, extras) => contextOf('x', read(result), extras)
/** A getter that throws is the bridge's to survive. */
const careful: Read = (result, extras) => {
  try {
    return sound(result, extras)
  } catch {
    return sound(null, extras)
  }
}

const bridgeWith = (contextFrom: Read): ContextBridge<Ended> => ({
  prefix: 'x',
  contextFrom,
  evaluate: bridgeOf<Ended>({ name: 'X', prefix: 'x', read }).evaluate,
  samples: {
    ok: { end: 'ok', text: 'Hello' },
    truncated: { end: 'cut', text: 'Hel' },
    refused: { end: 'no' },
    failed: { end: 'broken' },
    unknown: { end: 'brand-new', text: 'Hello' },
    tools: null,
    empty: { end: 'ok', text: '' },
  },
})

describe('the contract of context bridges', () => {
  const failures = (contextFrom: Read, only?: string) =>
    failing((harness) => contextBridgeContract(harness, 'x', bridgeWith(contextFrom)), only)

  test('is kept by a sound bridge', async () => {
    const { failed, count } = await failures(careful)
    expect(failed).toEqual([])
    expect(count).toBeGreaterThan(20)
  })

  test.each<[string, Read, string]>([
    [
      'calls everything a success',
      (_, extras) => contextOf('x', { status: 'success', facts: {} }, extras),
      'each ending has its status',
    ],
    [
      'does not say that an answer was cut',
      (result, extras) => sound(result?.end === 'cut' ? { ...result, end: 'ok' } : result, extras),
      'a cut answer says so',
    ],
    ['throws at a strange result', sound, 'getters that throw anywhere in a result does no harm'],
    [
      'makes up an output',
      (result, extras) =>
        careful({ text: '(none)', ...result, ...(result?.text === '' ? { text: '(none)' } : {}) }, extras),
      'output is there where the framework gave one, and not otherwise',
    ],
    [
      'keeps facts under other names',
      (result, extras) => judgmentContext({ ...careful(result, extras), metadata: { bridge: 'x', 'y.model': 'm' } }),
      'metadata is frozen JSON under the prefix of the bridge',
    ],
    [
      'makes up a usage',
      (_, extras) => contextOf('x', { status: 'unknown', facts: { usage: { inputTokens: 0 } } }, extras),
      'counts of tokens are whole, their parts no larger, and none is made up',
    ],
  ])('is broken by one that %s', async (_, contextFrom, name) => {
    expect((await failures(contextFrom, name)).failed).toEqual([name])
  })
})

describe('the contract of model bridges', () => {
  const can: ModelAbilities = { structured: true, logprobs: true, retries: true }
  const real = ({ url }: ScriptedServer) =>
    openAiCompatibleModel({ baseUrl: `${url}/v1`, model: 'm', apiKey: 'sk-of-the-contract', retries: { baseMs: 1 } })
  const changed =
    (change: (request: JudgeModelRequest) => JudgeModelRequest) =>
    (server: ScriptedServer): JudgeModel => {
      const model = real(server)
      return (request) => model(change(request))
    }
  const without = (...names: readonly string[]) =>
    changed((request) => ({
      ...request,
      options: Object.fromEntries(Object.entries(request.options).filter(([name]) => !names.includes(name))),
    }))
  const impatient = ({ url }: ScriptedServer) =>
    openAiCompatibleModel({ baseUrl: `${url}/v1`, model: 'm', apiKey: 'sk-of-the-contract', retries: { attempts: 1 } })

  test.each<[string, (server: ScriptedServer) => JudgeModel, string]>([
    ['drops a seed silently', without('seed'), 'settings reach the wire, or a warning names them'],
    [
      'drops a system message',
      changed((request) => ({ ...request, messages: request.messages.filter(({ role }) => role !== 'system') })),
      'all roles reach the wire, in order',
    ],
    ['drops the schema', without('responseSchema'), 'a schema is asked for, and data comes back'],
    ['drops log-probabilities', without('topLogprobs'), 'log-probabilities come back'],
    ['does not try again', impatient, 'a broken server is asked three times'],
    [
      'does not hand the signal on',
      changed((request) => ({ ...request, signal: AbortSignal.timeout(3_000) })),
      'aborted before the call: nothing is sent',
    ],
  ])('is broken by one that %s', async (_, make, name) => {
    const { failed } = await failing((harness) => modelBridgeContract(harness, 'x', make, can), name)
    expect(failed).toEqual([name])
  })
})
