import type { AiSdkResult } from '@jurist/bridges/ai-sdk'
import { aiSdkAgent, evaluateAiSdk, observeAiSdk } from '@jurist/bridges/ai-sdk'
import type { Agent, Judgment, JudgmentContext, Verdict } from '@jurist/core'
import { fileExists, jury } from '@jurist/core'
import { expectTypeOf } from 'vitest'

const run = async (_: AbortSignal): Promise<AiSdkResult> => ({ text: 'Hello' })
const extras = { goal: 'Say hello' }

// A judge gives a judgment, a jury a verdict that knows the names of its judges.
expectTypeOf(evaluateAiSdk(run, fileExists('a'), extras)).resolves.toEqualTypeOf<Judgment>()
const rules = jury({ judges: { readme: fileExists('README.md') } })
expectTypeOf(evaluateAiSdk(run, rules, extras)).resolves.toEqualTypeOf<Verdict<'readme'>>()

// A run that failed has a context and no result.
expectTypeOf(observeAiSdk(run, extras)).resolves.toExtend<{ context: JudgmentContext; result?: AiSdkResult }>()
// @ts-expect-error times are taken, not given
observeAiSdk(run, { ...extras, executionMs: 1 })
// @ts-expect-error an unknown option
observeAiSdk(run, { ...extras, timeout: 1 })

expectTypeOf(aiSdkAgent(async ({ prompt }) => ({ text: prompt }))).toEqualTypeOf<Agent>()
// @ts-expect-error a result is not a string
aiSdkAgent(async () => 'Hello')
