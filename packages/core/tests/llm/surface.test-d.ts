import { type Json, type Judge, JuristError, pass } from '@jurist/core'
import type { Classify, JudgeModel, JudgeModelRequest, ModelMiddleware, Prompt, StandardSchema } from '@jurist/core/llm'
import {
  budget,
  cached,
  json,
  matched,
  memoryCache,
  modelJudge,
  passFail,
  promptTemplate,
  scoreLine,
} from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { expectTypeOf } from 'vitest'

expectTypeOf(scriptedModel('a')).toExtend<JudgeModel>()
expectTypeOf(scriptedModel('a').requests).toEqualTypeOf<readonly JudgeModelRequest[]>()
expectTypeOf(promptTemplate('t', 'x')).toExtend<Prompt>()
expectTypeOf(passFail()).toEqualTypeOf<Classify>()
expectTypeOf(cached(memoryCache(), { scope: 'a' })).toEqualTypeOf<ModelMiddleware>()

const parts = { name: 'n', prompt: promptTemplate('t', 'x'), model: scriptedModel(), classify: passFail() }
expectTypeOf(modelJudge(parts)).toEqualTypeOf<Judge>()
// @ts-expect-error: a judge by a model needs a model
modelJudge({ name: 'n', prompt: parts.prompt, classify: parts.classify })
// @ts-expect-error: a score line must know what passes
scoreLine({ max: 5 })
expectTypeOf(matched(/x/, { A: 'pass', B: { status: 'fail', score: 0.2 }, C: 'abstain' })).toEqualTypeOf<Classify>()
// @ts-expect-error: a label means pass, fail or abstain
matched(/x/, { A: 'yes' })
// @ts-expect-error: an abstention has no score
matched(/x/, { A: { status: 'abstain', score: 0 } })
// @ts-expect-error: a budget is in one unit at least
budget({})

declare const schema: StandardSchema<{ readonly risk: number }>
json(schema, (value) => {
  expectTypeOf(value.risk).toEqualTypeOf<number>()
  return pass('x')
})
// @ts-expect-error: a judgment is made of what the schema promises
json(schema, ({ danger }) => pass(danger))

const thrown: unknown = undefined
if (JuristError.is(thrown, 'budget-exceeded')) expectTypeOf(thrown.details.limit).toEqualTypeOf<number>()
if (JuristError.is(thrown, 'replay-miss')) expectTypeOf(thrown.details.key).toEqualTypeOf<string>()

declare const request: JudgeModelRequest
expectTypeOf(request.options.responseSchema).toEqualTypeOf<Json | undefined>()
// @ts-expect-error: a request is read-only
request.messages = []
