import type { OpenAiAgentsResult } from '@jurist/bridges/openai-agents'
import { contextFromOpenAiAgents } from '@jurist/bridges/openai-agents'
import type { Agent, ModelResponse, RunResult, StreamedRunResult } from '@openai/agents'
import { expectTypeOf } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: the parameters of the framework's own types.
type Result = RunResult<any, Agent<any, any>>
// biome-ignore lint/suspicious/noExplicitAny: the parameters of the framework's own types.
type Streamed = StreamedRunResult<any, Agent<any, any>>

// The results fit, also that of a stream that has been read.
expectTypeOf<Result>().toExtend<OpenAiAgentsResult>()
expectTypeOf<Streamed>().toExtend<OpenAiAgentsResult>()

// Each field that is read is one that the framework has, under that name.
expectTypeOf<Exclude<keyof OpenAiAgentsResult, keyof Result>>().toEqualTypeOf<never>()
type Response = NonNullable<OpenAiAgentsResult['rawResponses']>[number]
expectTypeOf<Exclude<keyof Response, keyof ModelResponse>>().toEqualTypeOf<never>()
expectTypeOf<Exclude<keyof NonNullable<Response['usage']>, keyof ModelResponse['usage']>>().toEqualTypeOf<never>()

// @ts-expect-error a text is no result
contextFromOpenAiAgents('Hello', { goal: 'Say hello' })
// @ts-expect-error a promise is no result
contextFromOpenAiAgents({ rawResponses: Promise.resolve([]) }, { goal: 'Say hello' })
// @ts-expect-error a context needs a goal
contextFromOpenAiAgents({ finalOutput: 'Hello' }, {})
