import type { ToolResult } from '@jurist/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { efficiency } from '../src/efficiency.js'
import type { ExperimentInvocation } from '../src/invocation.js'

function withResults(contents: readonly string[], more: Partial<ExperimentInvocation> = {}): ExperimentInvocation {
  const toolResults = contents.map((content, index): ToolResult => ({ toolUseId: `${index}`, content, failed: true }))
  return { status: 'completed', phases: [{ name: 'execute', toolResults }], ...more }
}

const plan = { roadmap: 'go', recommendedTools: ['read', 'write', 'unknown'], knowledgeRead: [] }

describe('efficiency', () => {
  test('without errors, cost or plan', () => {
    expect(efficiency({ status: 'completed' })).toEqual({ toolErrors: 1, recovery: 1, composite: 1 })
  })

  test('counts failed results against the threshold', () => {
    const ok: ToolResult = { toolUseId: 'x', content: 'Error: not counted', failed: false }
    const invocation: ExperimentInvocation = {
      status: 'completed',
      phases: [{ name: 'a', toolResults: [ok] }, ...(withResults(['Error: no such file', 'x', '']).phases ?? [])],
    }
    expect(efficiency(invocation)?.['toolErrors']).toBe(1 - 3 / 8)
    expect(efficiency(invocation, { errorThreshold: 2 })?.['toolErrors']).toBe(0)
  })

  test('recovery counts different errors, and each blank one alone', () => {
    const same = ['Error: no such file\nat 1', 'hint\nError: no such file\nat 2', 'Error: no such file']
    expect(efficiency(withResults(same))?.['recovery']).toBe(1 - 1 / 8)
    expect(efficiency(withResults(['', '  ', 'error', 'error']))?.['recovery']).toBe(1 - 3 / 8)
    const long = 'Error '.padEnd(150, 'x')
    expect(efficiency(withResults([`${long}1`, `${long}2`]))?.['recovery']).toBe(1 - 1 / 8)
  })

  test('tool use needs a plan and the available tools', () => {
    const planned: ExperimentInvocation = { status: 'completed', plan }
    expect(efficiency(planned)).not.toHaveProperty('toolUse')
    expect(efficiency({ status: 'completed' }, { availableTools: ['read'] })).not.toHaveProperty('toolUse')
    expect(efficiency(planned, { availableTools: ['read', 'write', 'run', 'web'] })?.['toolUse']).toBe(0.5)
    expect(efficiency(planned, { availableTools: [] })?.['toolUse']).toBe(1)
  })

  test('cost is absent when unknown, 1 when free', () => {
    expect(efficiency({ status: 'completed' })).not.toHaveProperty('cost')
    expect(efficiency({ status: 'completed', costUsd: 0 })?.['cost']).toBe(1)
    expect(efficiency({ status: 'completed', costUsd: 1 })?.['cost']).toBe(0.8)
    expect(efficiency({ status: 'completed', costUsd: 9 })?.['cost']).toBe(0)
  })

  test('the composite renormalises over what is known', () => {
    const invocation: ExperimentInvocation = { status: 'completed', costUsd: 5 }
    expect(efficiency(invocation)?.['composite']).toBeCloseTo((0.35 + 0.2) / 0.75, 12)
    expect(efficiency(invocation, { weights: { cost: 0 } })?.['composite']).toBe(1)
    expect(efficiency(invocation, { weights: { cost: 0, toolErrors: 0, recovery: 0 } })).not.toHaveProperty('composite')
  })

  test('is only of trials that completed', () => {
    for (const status of ['refused', 'timeout', 'error', 'cancelled'] as const)
      expect(efficiency({ status })).toBeNull()
  })

  test('everything lies between 0 and 1', () => {
    const inputs = fc.record({
      contents: fc.array(fc.string(), { maxLength: 30 }),
      costUsd: fc.double({ min: 0, max: 50, noNaN: true }),
    })
    fc.assert(
      fc.property(inputs, ({ contents, costUsd }) => {
        const metrics = efficiency(withResults(contents, { costUsd, plan }), { availableTools: ['read'] }) ?? {}
        for (const value of Object.values(metrics)) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(1 + 1e-12)
        }
      }),
    )
  })

  test.each([
    { costCeilingUsd: 0 },
    { errorThreshold: -1 },
    { weights: { cost: -1 } },
    { weights: { speed: 1 } as never },
    { unknown: 1 } as never,
  ])('refuses %j', (options) => {
    expect(() => efficiency({ status: 'completed' }, options)).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
})
