import '@jurist/bridges/openai-compatible'
import { JuristError } from '@jurist/core'
import type { JudgeModel } from '@jurist/core/llm'
import { expectTypeOf } from 'vitest'

// A door makes the codes of its errors known.
export function statusOf(thrown: unknown): number | undefined {
  if (JuristError.is(thrown, 'model-http')) expectTypeOf(thrown.details).toEqualTypeOf<{ readonly status: number }>()
  if (JuristError.is(thrown, 'model-timeout')) expectTypeOf(thrown.details.timeoutMs).toEqualTypeOf<number>()
  // @ts-expect-error a code that does not exist
  JuristError.is(thrown, 'model-html')
  return JuristError.is(thrown, 'model-http') ? thrown.details.status : undefined
}

expectTypeOf<Parameters<JudgeModel>[0]['signal']>().toEqualTypeOf<AbortSignal>()
