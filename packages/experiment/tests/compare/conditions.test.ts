import { type JsonObject, JuristError } from '@jurist/core'
import { compare } from '@jurist/experiment/compare'
import { setupChanges } from '@jurist/experiment/internal/results'
import type { RunRecord } from '@jurist/experiment/result'
import { aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'

const run = (conditions: JsonObject, more: Partial<RunRecord> = {}) => aResult({ conditions, ...more })

describe('conditions', () => {
  test('what experiments vary may differ, and is reported', () => {
    const before = run({ model: 'a', prompt: '1', systemPrompt: null, agent: 'x', knowledge: null, dataset: 'one' })
    const after = run({ model: 'b', prompt: '2', systemPrompt: 'p', agent: 'y', knowledge: 'k', dataset: 'two' })
    const { differences } = compare(before, after)
    expect(differences.map(({ condition, allowed }) => `${condition} ${allowed}`)).toEqual([
      'agent true',
      'knowledge true',
      'model true',
      'prompt true',
      'systemPrompt true',
    ])
  })

  test('anything else is refused, all in one error', () => {
    const before = run({ jury: 'one', itemTimeoutMs: 1, retries: { attempts: 3, jitter: true }, model: 'a' })
    const after = run({ jury: 'two', itemTimeoutMs: 1, retries: { jitter: true, attempts: 3 }, model: 'b', turns: 5 })
    try {
      compare(before, after)
      expect.unreachable()
    } catch (thrown) {
      if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
      expect(thrown.details.differences).toEqual([
        { condition: 'jury', baseline: 'one', candidate: 'two', reason: 'differs', allowed: false },
        { condition: 'model', baseline: 'a', candidate: 'b', reason: 'differs', allowed: true },
        { condition: 'turns', baseline: null, candidate: 5, reason: 'undeclared', allowed: false },
      ])
      expect(thrown.message).toContain('turns is declared by the candidate only')
      expect(thrown.message).toContain('ignoreConditions: ["jury","turns"]')
    }
  })

  test('differences can be ignored: all, or by name', () => {
    const [before, after] = [run({ jury: 'one', turns: 1 }), run({ jury: 'two', turns: 2 })]
    const refused = expect.objectContaining({ code: 'conditions-differ' })
    expect(compare(before, after, { ignoreConditions: true }).differences).toHaveLength(2)
    expect(compare(before, after, { ignoreConditions: ['jury', 'turns'] }).differences).toHaveLength(2)
    expect(() => compare(before, after, { ignoreConditions: ['jury'] })).toThrow(refused)
    expect(() => compare(before, after, { ignoreConditions: false })).toThrow(refused)
  })

  test('vary replaces what may differ', () => {
    const [before, after] = [run({ model: 'a', turns: 1 }), run({ model: 'b', turns: 2 })]
    expect(() => compare(before, after, { vary: ['turns'] })).toThrow(/model is "a" and "b"/)
    expect(compare(before, after, { vary: ['turns', 'model'] }).differences).toHaveLength(2)
  })

  test('what a variant sets may differ', () => {
    const configuration = { variedConditions: ['turns'] }
    expect(compare(run({ turns: 1 }), run({ turns: 2 }, { configuration })).differences).toHaveLength(1)
    expect(() => compare(run({ turns: 1 }), run({ turns: 2 }))).toThrow(/turns is 1 and 2/)
  })

  test('of the same agent runs the jury may differ, and a cost that was counted is no condition', () => {
    const before = run({ jury: 'one' })
    const lineage = {
      rejudgedFrom: before.id,
      root: before.id,
      systemReinvoked: false,
      originalStartedAt: before.startedAt,
      jury: 'one',
      tiers: null,
    } as const
    const after = run({ jury: 'two', costAlreadyCounted: before.id }, { lineage, kind: 'rejudge' })
    expect(compare(before, after).differences.map(({ condition }) => condition)).toEqual(['jury'])
    expect(compare(after, before).differences.map(({ condition }) => condition)).toEqual(['jury'])
  })
})

const jury = (paths: readonly string[], fingerprint: string): NonNullable<RunRecord['jury']> => ({
  name: 'rules',
  fingerprint,
  judges: paths.map((path) => ({ path: `/${path}`, name: path, kind: 'deterministic', weight: 1 })),
  tiers: null,
})
const code = (gitCommit: string | null, dirty = false) => ({ gitCommit, dirty, dirtyFiles: [] })
const changesFrom = (before: Partial<RunRecord>, after: Partial<RunRecord>) =>
  setupChanges(aResult(before), aResult(after))

describe('what changed in the setup', () => {
  test('a run that was set up alike has no change', () => {
    const same = { conditions: { model: 'large-1' }, jury: jury(['build'], 'a'), code: code('a'.repeat(40)) }
    expect(changesFrom(same, same)).toEqual([])
  })

  test('names commit, dataset, jury, model and prompt with both values', () => {
    const { dataset } = aResult()
    const before = {
      code: code('a'.repeat(40)),
      dataset: { ...dataset, hash: 'a'.repeat(64) },
      jury: jury(['build', 'tone'], 'one'),
      conditions: { model: 'large-1', prompt: '1'.repeat(64), jury: 'one', dataset: 'x' },
    }
    const after = {
      code: code('b'.repeat(40), true),
      dataset: { ...dataset, hash: 'b'.repeat(64), version: '2' },
      jury: jury(['build', 'style'], 'two'),
      conditions: { model: 'large-2', prompt: '2'.repeat(64), jury: 'two', dataset: 'y' },
    }
    expect(changesFrom(before, after)).toEqual([
      { what: 'commit', before: 'aaaaaaaaaa', after: 'bbbbbbbbbb with uncommitted changes', refuses: false },
      { what: 'dataset', before: 'dataset 1', after: 'dataset 2', refuses: false },
      { what: 'jury', before: 'tone', after: 'style', refuses: true },
      { what: 'model', before: 'large-1', after: 'large-2', refuses: false },
      { what: 'prompt', before: '11111111', after: '22222222', refuses: false },
    ])
  })

  test('a commit that one of the two does not know is no change', () => {
    expect(changesFrom({ code: code(null) }, { code: code('a'.repeat(40)) })).toEqual([])
  })

  test('a jury with the same judges shows its fingerprints, a long value is cut', () => {
    const long = 'x'.repeat(100)
    const changes = changesFrom(
      { jury: jury(['build'], 'f'.repeat(64)), conditions: { jury: 'f', retries: { attempts: 2 }, note: null } },
      { jury: jury(['build'], 'e'.repeat(64)), conditions: { jury: 'e', retries: { attempts: 3 }, note: long } },
    )
    expect(changes).toEqual([
      { what: 'jury', before: 'ffffffff', after: 'eeeeeeee', refuses: true },
      { what: 'note', before: 'none', after: `${'x'.repeat(59)}…`, refuses: true },
      { what: 'retries', before: '{"attempts":2}', after: '{"attempts":3}', refuses: true },
    ])
  })
})
