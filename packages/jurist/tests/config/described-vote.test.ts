import { jury, type Vote } from '@jurist/core'
import { votes } from '@jurist/core/internal'
import { describe, expect, test } from 'vitest'
import { describedVote, voteChoices } from '../../src/config/described-choices.js'
import { collectIssues } from '../../src/config/problems.js'

const names = Object.keys(voteChoices)
/** The values of `onError` that the JSON Schema offers. */
const policies = ['propagate-if-decisive', 'propagate', 'fail', 'abstain', 'ignore']

async function described(value: unknown) {
  const { issues, report } = collectIssues()
  return { vote: await describedVote(value, [], { directory: '.', report, juries: {} }), issues }
}

const madeOf = (vote: Vote | undefined) => jury({ judges: { a: () => true }, ...(vote && { vote }) }).parts?.vote

describe('votes of a YAML config', () => {
  test('are those of the catalogue of core, in kebab case', () => {
    expect(names).toEqual(
      Object.keys(votes)
        .map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
        .sort(),
    )
  })
  test.each(names.flatMap((type) => policies.map((onError) => [type, onError] as const)))(
    '%s with onError %s',
    async (type, onError) => {
      const { vote, issues } = await described({ type, onError })
      expect(issues).toEqual([])
      expect(madeOf(vote)?.options).toMatchObject({ onError })
    },
  )
  test('plurality takes the categories that pass, one or several', async () => {
    expect(
      madeOf((await described({ type: 'plurality', passes: 'A', onTie: 'abstain', minEligible: 2 })).vote),
    ).toEqual({
      name: 'plurality',
      options: { passes: ['A'], onTie: 'abstain', onError: 'propagate-if-decisive', minEligible: 2 },
    })
    expect(madeOf((await described({ type: 'plurality', passes: ['A', 'tie'] })).vote)?.options?.passes).toEqual([
      'A',
      'tie',
    ])
    expect((await described({ type: 'plurality', passes: [] })).issues).toMatchObject([
      { problem: expect.stringMatching(/"passes"/) },
    ])
  })
  test('without onError an error decides nothing', async () => {
    for (const type of names)
      expect(madeOf((await described(type)).vote)?.options).toMatchObject({ onError: 'propagate-if-decisive' })
  })
  test('another word for onError is refused with those there are', async () => {
    const { vote, issues } = await described({ type: 'majority', onError: 'pass' })
    expect(vote).toBeUndefined()
    for (const word of policies) expect(JSON.stringify(issues)).toContain(word)
  })
})
