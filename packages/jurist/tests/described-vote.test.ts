import { jury, type Vote } from '@jurist/core'
import { juryPartsOf } from '@jurist/core/internal'
import { describe, expect, test } from 'vitest'
import { configSchema } from '../src/config/config-schema.js'
import { describedVote, voteNames } from '../src/config/described-jury.js'
import { collectIssues } from '../src/config/problems.js'

interface VoteSchema {
  readonly oneOf: readonly [
    { readonly enum: readonly string[] },
    { readonly properties: { readonly onError: { readonly enum: readonly string[] } } },
  ]
}
const { $defs } = JSON.parse(configSchema()) as { readonly $defs: { readonly vote: VoteSchema } }
const [names, { properties }] = $defs.vote.oneOf

function described(value: unknown) {
  const { issues, report } = collectIssues()
  return { vote: describedVote(value, [], { directory: '.', report, juries: {} }), issues }
}

const madeOf = (vote: Vote | undefined) => juryPartsOf(jury({ judges: { a: () => true }, ...(vote && { vote }) }))?.vote

describe('votes of a YAML config', () => {
  test('the schema for editors knows every vote', () => expect(names.enum).toEqual(voteNames))
  test.each(voteNames.flatMap((type) => properties.onError.enum.map((onError) => [type, onError] as const)))(
    '%s with onError %s, as the schema offers it',
    (type, onError) => {
      const { vote, issues } = described({ type, onError })
      expect(issues).toEqual([])
      expect(madeOf(vote)?.options).toMatchObject({ onError })
    },
  )
  test('plurality takes the categories that pass, one or several', () => {
    expect(madeOf(described({ type: 'plurality', passes: 'A', onTie: 'abstain', minEligible: 2 }).vote)).toEqual({
      name: 'plurality',
      options: { passes: ['A'], onTie: 'abstain', onError: 'propagate-if-decisive', minEligible: 2 },
    })
    expect(madeOf(described({ type: 'plurality', passes: ['A', 'tie'] }).vote)?.options?.passes).toEqual(['A', 'tie'])
    expect(described({ type: 'plurality', passes: [] }).issues).toMatchObject([
      { problem: expect.stringMatching(/"passes"/) },
    ])
  })
  test('without onError an error decides nothing', () => {
    for (const type of voteNames)
      expect(madeOf(described(type).vote)?.options).toMatchObject({ onError: 'propagate-if-decisive' })
  })
  test('another word for onError is refused with those there are, all of which the schema has', () => {
    const { vote, issues } = described({ type: 'majority', onError: 'pass' })
    expect(vote).toBeUndefined()
    for (const word of properties.onError.enum) expect(JSON.stringify(issues)).toContain(word)
  })
})
