import type { Judgment } from '../judgment.js'
import { abstain, error, fail, pass } from '../judgment.js'
import type { Aggregation, Ballot } from '../votes/aggregation.js'
import type { Vote } from '../votes/vote.js'
import type { TestHarness } from './harness.js'
import { expectCode, expectFrozen, expectSame, expectThat } from './harness.js'

/**
 * What every vote must keep: an empty vote is refused, one ballot decides alone, abstentions abstain; it is pure, the
 * order of ballots does not matter, its judgment is frozen JSON, and its counts add up where it gives them.
 *
 * @example
 * voteContract({ describe, test }, 'my vote', () => myVote())
 */
export function voteContract({ describe, test }: TestHarness, name: string, make: () => Vote): void {
  describe(`${name} keeps the vote contract`, () => {
    test('an empty vote is refused', () => expectCode(() => make()([]), 'ballots-empty'))
    test('one pass passes, one fail fails', () => {
      expectSame(make()(ballots(pass('yes'))).status, 'pass', 'status')
      expectSame(make()(ballots(fail('no'))).status, 'fail', 'status')
    })
    test('abstentions abstain', () => {
      expectSame(make()(ballots(abstain('nothing'), abstain('nothing'))).status, 'abstain', 'status')
    })
    test('the same ballots give the same judgment, and stay as they are', () => {
      for (const given of samples) {
        const before = JSON.stringify(given)
        expectSame(make()(given), make()(given), 'judgment')
        expectSame(JSON.parse(JSON.stringify(given)), JSON.parse(before), 'ballots')
      }
    })
    test('the order of ballots does not matter', () => {
      for (const given of samples) {
        const reversed = make()([...given].reverse())
        expectSame(reversed.status, make()(given).status, 'status')
      }
    })
    test('the judgment is frozen, and its counts add up', () => {
      for (const given of samples) {
        const judgment = make()(given)
        expectFrozen(judgment, 'judgment')
        const { aggregation } = judgment.metadata
        if (aggregation !== undefined) expectCounts(aggregation as unknown as Aggregation, given.length)
      }
    })
  })
}

function ballots(...judgments: readonly Judgment[]): readonly Ballot[] {
  return judgments.map((judgment, index) => ({ name: `j${index + 1}`, judgment, weight: 1 }))
}

const samples: readonly (readonly Ballot[])[] = [
  ballots(pass('a'), fail('b')),
  ballots(pass('a'), abstain('b'), pass('c', { score: 0.75 })),
  ballots(error('a', new Error('broken')), pass('b'), fail('c', { score: 0.25 })),
  ballots(error('a', new Error('broken')), abstain('b')),
]

function expectCounts(counts: Aggregation, received: number): void {
  const { inputCount, eligibleCount, abstainCount, ignoredErrorCount, passCount, failCount, onError, errorCount } =
    counts
  const propagated = onError.startsWith('propagate') ? errorCount : 0
  expectSame(inputCount, received, 'inputCount')
  expectSame(passCount + failCount, eligibleCount, 'passCount + failCount')
  expectThat(
    inputCount === eligibleCount + abstainCount + ignoredErrorCount + propagated,
    `${inputCount} ballots came in, but the counts account for another number`,
  )
}
