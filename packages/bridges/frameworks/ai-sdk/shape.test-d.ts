import type { AiSdkResult } from '@jurist/bridges/ai-sdk'
import { aiSdkModel, contextFromAiSdk } from '@jurist/bridges/ai-sdk'
import type { generateText as generateText6, ToolLoopAgent as Loop6, LanguageModel as Model6 } from 'ai'
import type { generateText as generateText7, ToolLoopAgent as Loop7, LanguageModel as Model7 } from 'ai-7'
import { expectTypeOf } from 'vitest'
import type { AiSdkLanguageModel } from '../../src/ai-sdk/runs.js'

type Result6 = Awaited<ReturnType<typeof generateText6>>
type Result7 = Awaited<ReturnType<typeof generateText7>>

// The results of both majors fit, those of agents too.
expectTypeOf<Result6>().toExtend<AiSdkResult>()
expectTypeOf<Result7>().toExtend<AiSdkResult>()
expectTypeOf<Awaited<ReturnType<Loop6['generate']>>>().toExtend<AiSdkResult>()
expectTypeOf<Awaited<ReturnType<Loop7['generate']>>>().toExtend<AiSdkResult>()

// Each field that is read is one that both majors have, under that name.
type Read = Exclude<keyof AiSdkResult, never>
expectTypeOf<Exclude<Read, keyof Result6>>().toEqualTypeOf<never>()
expectTypeOf<Exclude<Read, keyof Result7>>().toEqualTypeOf<never>()
type Step = NonNullable<AiSdkResult['steps']>[number]
expectTypeOf<Exclude<keyof Step, keyof Result6['steps'][number]>>().toEqualTypeOf<never>()
expectTypeOf<Exclude<keyof Step, keyof Result7['steps'][number]>>().toEqualTypeOf<never>()
type Usage = NonNullable<AiSdkResult['usage']>
type DetailedUsage = Exclude<keyof Usage, 'cachedInputTokens' | 'reasoningTokens'>
expectTypeOf<Exclude<DetailedUsage, keyof Result6['usage']>>().toEqualTypeOf<never>()
expectTypeOf<Exclude<DetailedUsage, keyof Result7['usage']>>().toEqualTypeOf<never>()

// A model object fits; the name of one in a gateway does not.
type Object6 = Extract<Model6, { specificationVersion: 'v3' }>
type Object7 = Extract<Model7, { specificationVersion: 'v4' }>
expectTypeOf<Object6>().toExtend<AiSdkLanguageModel>()
expectTypeOf<Object7>().toExtend<AiSdkLanguageModel>()
expectTypeOf<Object6>().not.toBeNever()
expectTypeOf<Object7>().not.toBeNever()

// @ts-expect-error the name of a model is no model
aiSdkModel('openai/gpt-5-mini')
// @ts-expect-error a stream is not a result: pass its awaited fields
contextFromAiSdk({ text: Promise.resolve('Hello') }, { goal: 'Say hello' })
// @ts-expect-error a context needs a goal
contextFromAiSdk({ text: 'Hello' }, {})
