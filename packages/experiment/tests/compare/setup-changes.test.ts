import { setupChanges } from '@jurist/experiment/internal/results'
import type { RunRecord } from '@jurist/experiment/result'
import { aResult } from '@jurist/experiment/testing'
import { expect, test } from 'vitest'

const jury = (paths: readonly string[], fingerprint: string): NonNullable<RunRecord['jury']> => ({
  name: 'rules',
  fingerprint,
  judges: paths.map((path) => ({ path: `/${path}`, name: path, kind: 'deterministic', weight: 1 })),
  tiers: null,
})
const code = (gitCommit: string | null, dirty = false) => ({ gitCommit, dirty, dirtyFiles: [] })
const changesFrom = (before: Partial<RunRecord>, after: Partial<RunRecord>) =>
  setupChanges(aResult(before), aResult(after))

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
