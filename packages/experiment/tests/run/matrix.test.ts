import type { Agent } from '@jurist/core'
import { completed, defineExperiment, runSession } from '@jurist/experiment'
import { describe, expect, test } from 'vitest'

const base = {
  name: 'grid',
  dataset: [{ id: 'a', task: 'Say hello' }],
  agent: async () => completed('x'),
}
const variantsOf = (more: object): Readonly<Record<string, unknown>> =>
  defineExperiment<string>({ ...base, ...more }).variants ?? {}

describe('a matrix', () => {
  test('makes a variant of every combination, the last axis first, beside the own variants', () => {
    const made = variantsOf({
      variants: { own: { model: 'm' } },
      matrix: { model: ['gpt-5', 'org/small 1'], systemPrompt: ['a', 'b'] },
    })
    expect(Object.keys(made)).toEqual([
      'own',
      'gpt-5_systemPrompt-1',
      'gpt-5_systemPrompt-2',
      'org-small-1_systemPrompt-1',
      'org-small-1_systemPrompt-2',
    ])
    expect(made['org-small-1_systemPrompt-2']).toEqual({
      model: 'org/small 1',
      systemPrompt: 'b',
      conditions: { matrix: { model: 'org-small-1', systemPrompt: 'systemPrompt-2' } },
    })
  })

  test('runs as a session, each variant with its values', async () => {
    const seen: string[] = []
    const agent: Agent = async ({ model, prompt }) => {
      seen.push(`${model}: ${prompt}`)
      return completed('x')
    }
    const other: Agent = async () => completed('y')
    const matrix = { model: ['a', 'b'], prompt: { short: '{{task}}', long: 'Please: {{task}}' } }
    const session = runSession<string>({ ...base, agent, matrix, concurrency: 1 })
    const { results } = await session.result
    expect(Object.keys(results)).toEqual(['a_short', 'a_long', 'b_short', 'b_long'])
    expect(seen).toEqual(['a: Say hello', 'a: Please: Say hello', 'b: Say hello', 'b: Please: Say hello'])
    expect(results['b_long']?.conditions['matrix']).toEqual({ model: 'b', prompt: 'long' })
    expect(Object.keys(variantsOf({ matrix: { agent: { one: agent, two: other } } }))).toEqual(['one', 'two'])
  })

  const many = Array.from({ length: 9 }, (_, index) => `m${index}`)
  const rows: readonly (readonly [string, object, RegExp])[] = [
    ['an unknown axis', { matrix: { temperature: [0, 1] } }, /temperature.* is not a known key/],
    ['no axis', { matrix: {} }, /must have at least one axis/],
    ['an axis without values', { matrix: { model: [] } }, /must have at least one value/],
    ['a value twice', { matrix: { model: ['a', 'a'] } }, /matrix\.model: has "a" twice/],
    ['two names for one value', { matrix: { prompt: { x: 'p', y: 'p' } } }, /matrix\.prompt: has "y" twice/],
    ['two values of one name', { matrix: { model: ['a/b', 'a b'] } }, /has "a-b" twice/],
    ['a variant of that name', { variants: { a: {} }, matrix: { model: ['a'] } }, /"variants" has one of that name/],
    ['too many', { matrix: { model: many, systemPrompt: many } }, /makes 81 variants, more than 64/],
    ['a name that cannot be', { matrix: { prompt: { 'a/b': 'p' } } }, /"a\/b", which cannot be a name/],
    ['a value of another type', { matrix: { model: [3] } }, /must be/],
  ]
  test.each(rows)('with %s is refused', (_, more, message) => {
    expect(() => variantsOf(more)).toThrow(message)
  })
})
