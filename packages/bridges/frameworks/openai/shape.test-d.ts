import { contextFromChatCompletion, openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import type OpenAI from 'openai'
import { expectTypeOf } from 'vitest'
import type { ChatCompletion, ChatUsage } from '../../src/openai-compatible/context.js'

type Real = OpenAI.Chat.Completions.ChatCompletion

// The real completion fits, and each field that is read is one of it.
expectTypeOf<Real>().toExtend<ChatCompletion>()
expectTypeOf<Exclude<keyof ChatCompletion, keyof Real>>().toEqualTypeOf<never>()
type Choice = NonNullable<ChatCompletion['choices']>[number]
expectTypeOf<Exclude<keyof Choice, keyof Real['choices'][number]>>().toEqualTypeOf<never>()
type Message = NonNullable<Choice['message']>
expectTypeOf<Exclude<keyof Message, keyof Real['choices'][number]['message']>>().toEqualTypeOf<never>()
expectTypeOf<Exclude<keyof ChatUsage, keyof NonNullable<Real['usage']>>>().toEqualTypeOf<never>()

// @ts-expect-error a stream of chunks is no completion
contextFromChatCompletion({ choices: 'none' }, { goal: 'Say hello' })
// @ts-expect-error a model needs a name
openAiCompatibleModel({ baseUrl: 'http://localhost:11434/v1' })
