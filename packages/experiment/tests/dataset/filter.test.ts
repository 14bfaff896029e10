import { readFileSync } from 'node:fs'
import type { InlineItem, ItemFilter } from '@jurist/experiment/dataset'
import { dataset, matches } from '@jurist/experiment/dataset'
import { describe, expect, test } from 'vitest'

interface Vectors {
  readonly datasets: Readonly<Record<string, readonly Omit<InlineItem, 'task'>[]>>
  readonly cases: readonly {
    readonly id: string
    readonly why: string
    readonly dataset: string
    readonly filter: ItemFilter
    readonly expected: readonly string[] | { readonly error: string }
  }[]
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../vectors/filters.json', import.meta.url), 'utf8'))

function vectorDataset(name: string) {
  const items = (vectors.datasets[name] ?? []).map((item) => ({ task: 'x', ...item }))
  return dataset({ name, items })
}

describe('the vectors', () => {
  test.each(vectors.cases)('$id: $why', async ({ dataset: name, filter, expected }) => {
    const selected = async () => {
      const ids: string[] = []
      for await (const item of vectorDataset(name).items(filter)) ids.push(item.id)
      return ids
    }
    if ('error' in expected) await expect(selected()).rejects.toMatchObject({ code: expected.error })
    else expect(await selected()).toEqual(expected)
  })
})

describe('matches', () => {
  const item = async (fields: object) => dataset({ name: 'x', items: [{ id: 'a', task: 'x', ...fields }] }).item('a')

  test('implies no status', async () => {
    expect(matches({}, await item({ status: 'disabled' }))).toBe(true)
    expect(matches({ status: 'active' }, await item({ status: 'disabled' }))).toBe(false)
  })

  test('a list means any of, tags mean all of', async () => {
    const tagged = await item({ bucket: 'B', tags: ['x', 'y'] })
    expect(matches({ bucket: ['A', 'B'] }, tagged)).toBe(true)
    expect(matches({ tags: ['x', 'y'] }, tagged)).toBe(true)
    expect(matches({ tags: ['x', 'z'] }, tagged)).toBe(false)
  })

  test('a key that is undefined counts as not given', async () => {
    expect(matches(JSON.parse('{}') as ItemFilter, await item({}))).toBe(true)
    expect(matches({ and: undefined, bucket: 'A' } as unknown as ItemFilter, await item({ bucket: 'B' }))).toBe(false)
    expect(matches({ bucket: undefined } as unknown as ItemFilter, await item({ bucket: 'B' }))).toBe(true)
  })

  test.each([
    null,
    [],
    'x',
    { bucket: null },
    { id: [] },
    { status: [] },
    { status: ['any'] },
    { bucket: [1] },
    { not: [{}] },
    { not: {}, and: [] },
    { and: {} },
    { or: [null] },
    { tags: null },
    { colour: 'red' },
  ])('refuses %j', async (filter) => {
    const given = await item({})
    expect(() => matches(filter as unknown as ItemFilter, given)).toThrowError(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })

  test('every issue is named', async () => {
    const given = await item({})
    const filter = { not: { id: [], noChange: 'yes', status: 'old' } } as unknown as ItemFilter
    expect(() => matches(filter, given)).toThrowError(
      /filter\.not\.id must be .*\nfilter\.not\.noChange .*\nfilter\.not\.status /,
    )
  })

  test('names the place and the nearest criterion', async () => {
    const given = await item({})
    expect(() => matches({ and: [{}, { buckt: 'A' }] } as unknown as ItemFilter, given)).toThrowError(
      'filter.and[1].buckt is not a known key. Did you mean "bucket"?',
    )
  })
})
