import type { Judgment, JudgmentContext, Jury, Verdict, Vote } from '@jurist/core'
import { abstain, cascade, error, JuristError, jury, pass, plurality } from '@jurist/core'
import type { GateTier } from '@jurist/core/internal'
import { expectTypeOf } from 'vitest'

const rules = jury({ judges: { readme: () => true, build: { judge: () => false, weight: 2 } } })
expectTypeOf(rules).toExtend<Jury<'readme' | 'build'>>()
const verdict = {} as Awaited<ReturnType<typeof rules.vote>>
expectTypeOf(verdict.individual.readme).toEqualTypeOf<Judgment>()
// @ts-expect-error: there is no such seat
verdict.individual.tests
expectTypeOf(verdict).toExtend<Verdict>()

// @ts-expect-error: an abstention has no score
abstain('nothing', { score: 1 })
// @ts-expect-error: an error has none either
error('broken', undefined, { score: 1 })
expectTypeOf(pass('x').status).toEqualTypeOf<'pass'>()

// @ts-expect-error: the last tier is final
cascade([{ name: 'a', jury: rules, policy: 'accept-on-all-pass' }])
// @ts-expect-error: an accept gate does not say what an error does
const gate: GateTier = { name: 'a', jury: rules, policy: 'accept-on-all-pass', onError: 'stop' }
const decides: GateTier = { name: 'a', jury: rules, policy: 'accept-when-decided', onError: 'escalate' }
// @ts-expect-error: the last tier is final, and not one that may hand on
cascade([decides])
// @ts-expect-error: a category is a string
plurality({ passes: 1 })
expectTypeOf(plurality({ passes: ['A', 'tie'], onTie: 'abstain', minEligible: 2 })).toEqualTypeOf<Vote>()
cascade([gate, decides, { name: 'b', jury: rules, policy: 'final' }])

const thrown: unknown = undefined
if (JuristError.is(thrown, 'too-large')) expectTypeOf(thrown.details.maxBytes).toEqualTypeOf<number>()

declare const context: JudgmentContext
// @ts-expect-error: a context is read-only
context.goal = 'x'

declare const judgment: Judgment
if (judgment.status === 'error') expectTypeOf(judgment.failure.message).toEqualTypeOf<string>()
// @ts-expect-error: only an error has a failure
else judgment.failure
