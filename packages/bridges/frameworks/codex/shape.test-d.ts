import { codexAgent, codexModel, contextFromCodex } from '@jurist/bridges/codex'
import type { RunResult, ThreadEvent, ThreadOptions } from '@openai/codex-sdk'
import { Codex } from '@openai/codex-sdk'
import { expectTypeOf } from 'vitest'
import type { CodexClient, CodexEvent, CodexThreadOptions, CodexTurn } from '../../src/codex/agent.js'

// The real client fits, and so do its events and turns.
expectTypeOf<Codex>().toExtend<CodexClient>()
expectTypeOf<ThreadEvent>().toExtend<CodexEvent>()
expectTypeOf<RunResult>().toExtend<CodexTurn>()
codexAgent({ codex: (env) => new Codex({ env, apiKey: 'key' }) })
codexModel({ codex: (env) => new Codex({ env }), model: 'gpt-5-codex' })

// What the bridge sets is what the SDK takes.
expectTypeOf<CodexThreadOptions>().toExtend<ThreadOptions>()
expectTypeOf<Exclude<keyof CodexTurn, keyof RunResult>>().toEqualTypeOf<never>()

// @ts-expect-error a client alone has no environment of its own
codexAgent({ codex: new Codex() })
// @ts-expect-error an agent needs a client
codexAgent({})
// @ts-expect-error a text is no turn
contextFromCodex('Hello', { goal: 'Say hello' })
