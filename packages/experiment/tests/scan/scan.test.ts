import { describe, expect, test } from 'vitest'
import { scanRules, scanTrial } from '../../src/scan/index.js'
import { cases } from './cases.js'

describe.each(scanRules.map(({ name }) => name))('the rule %s', (name) => {
  const { finds, misses } = cases[name] ?? { finds: [], misses: [] }

  test('has at least three cases and three near misses', () => {
    expect(finds.length).toBeGreaterThanOrEqual(3)
    expect(misses.length).toBeGreaterThanOrEqual(3)
  })

  test.each(finds.map((trial, index) => [index, trial] as const))('finds case %i', (_, trial) => {
    const { findings, errors } = scanTrial(trial)
    expect(errors).toEqual({})
    expect(findings.filter(({ rule }) => rule === name)).not.toEqual([])
  })

  test.each(misses.map((trial, index) => [index, trial] as const))('finds nothing in near miss %i', (_, trial) => {
    expect(scanTrial(trial).findings.filter(({ rule }) => rule === name)).toEqual([])
  })
})
