import type { Judge } from '@jurist/core'
import { expectTypeOf, test } from 'vitest'
import { coverageAtLeast, coverageImproved, coveragePreserved, type readCoverage } from '../../src/coverage/index.js'

test('the judges of coverage take their own options alone', () => {
  expectTypeOf(coveragePreserved({ maxDrop: 1, report: ['a.xml'], notBefore: 'agent-start' })).toEqualTypeOf<Judge>()
  expectTypeOf(coverageImproved({ ceiling: 1, floor: 2, baseline: 3 })).toEqualTypeOf<Judge>()
  expectTypeOf(coverageAtLeast(80, { metric: 'branch' })).toEqualTypeOf<Judge>()
  // @ts-expect-error a bar has no baseline
  coverageAtLeast(80, { baseline: 70 })
  // @ts-expect-error there is no such metric
  coverageAtLeast(80, { metric: 'lines' })
  // @ts-expect-error the floor belongs to coverageImproved
  coveragePreserved({ floor: 1 })
})

test('what a report does not count is null', () => {
  type Report = Awaited<ReturnType<typeof readCoverage>>
  expectTypeOf<Report['line']>().toExtend<{ readonly covered: number | null; readonly total: number | null }>()
  expectTypeOf<Report['branch']>().toEqualTypeOf<Report['line'] | null>()
  expectTypeOf<Report['line']['percent']>().toEqualTypeOf<number | null>()
})
