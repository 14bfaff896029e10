import type { MastraResult } from '@jurist/bridges/mastra'
import { contextFromMastra } from '@jurist/bridges/mastra'
import type { MastraModelOutput } from '@mastra/core/stream'
import { expectTypeOf } from 'vitest'

type Result = Awaited<ReturnType<MastraModelOutput['getFullOutput']>>

// What `agent.generate` resolves to fits.
expectTypeOf<Result>().toExtend<MastraResult>()

// Each field that is read is one that the framework has, under that name.
expectTypeOf<Exclude<keyof MastraResult, keyof Result>>().toEqualTypeOf<never>()
type Step = NonNullable<MastraResult['steps']>[number]
expectTypeOf<Exclude<keyof Step, keyof Result['steps'][number]>>().toEqualTypeOf<never>()

// @ts-expect-error a stream is not a result: pass what `getFullOutput` resolves to
contextFromMastra({ text: Promise.resolve('Hello') }, { goal: 'Say hello' })
// @ts-expect-error a context needs a goal
contextFromMastra({ text: 'Hello' }, {})
