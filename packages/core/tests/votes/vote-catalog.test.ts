import { type Ballot, fail, pass, type Vote } from '@jurist/core'
import { voteDescriptionOf, votes } from '@jurist/core/internal'
import { voteContract } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const ballots: readonly Ballot[] = [
  { name: 'a', judgment: pass('yes'), weight: 1 },
  { name: 'b', judgment: fail('no'), weight: 1 },
  { name: 'c', judgment: pass('yes'), weight: 1 },
]
const castBy = (vote: Vote) => vote(ballots).metadata.aggregation as { readonly [key: string]: unknown }

describe.each(Object.entries(votes))('the catalogue has %s, which', (key, make) => {
  voteContract({ describe, test }, key, () => make())
  const description = voteDescriptionOf(make)

  test('says what it is', () => {
    expect(description).toBeDefined()
    expect(make.name).toBe(description?.name)
    expect(description?.passes).toMatch(/^[a-z].*[^.]$/)
    for (const { schema, description: text } of Object.values(description?.options ?? {})) {
      expect(schema).toBeDefined()
      expect(text).toMatch(/^[A-Z].*\.$/)
    }
  })
  test('keeps its options, with every default, in the verdict', () => {
    const { strategy, options } = castBy(make())
    const entries = Object.entries(description?.options ?? {})
    const defaults = entries.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]))
    expect(strategy).toBe(description?.name)
    expect(options).toEqual(Object.fromEntries(defaults))
  })
  test('can be cast again from the options that a stored verdict keeps', () => {
    const { options } = castBy(make())
    expect(castBy(make(options as object)).options).toEqual(options)
  })
  test('refuses an option that the catalogue does not have', () => {
    expect(() => make({ sizeOfTheRoom: 3 })).toThrow(/unknown option "sizeOfTheRoom"/)
  })
  test.each(Object.entries(description?.options ?? {}))('refuses an object as %s', (name) => {
    expect(() => make({ [name]: {} })).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})
