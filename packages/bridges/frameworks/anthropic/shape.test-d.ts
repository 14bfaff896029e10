import type Anthropic from '@anthropic-ai/sdk'
import { anthropicModel, contextFromAnthropic } from '@jurist/bridges/anthropic'
import { expectTypeOf } from 'vitest'
import type { AnthropicMessage, AnthropicUsage } from '../../src/anthropic/context.js'

type Real = Anthropic.Messages.Message

// The real message fits, and each field that is read is one of it.
expectTypeOf<Real>().toExtend<AnthropicMessage>()
expectTypeOf<Exclude<keyof AnthropicMessage, keyof Real>>().toEqualTypeOf<never>()
expectTypeOf<Exclude<keyof AnthropicUsage, keyof Real['usage']>>().toEqualTypeOf<never>()

// @ts-expect-error the answer of the old text protocol is no message
contextFromAnthropic({ content: 'Hello' }, { goal: 'Say hello' })
// @ts-expect-error a model needs a name
anthropicModel({})
