import type { JSX } from 'preact'
import type { Attempt } from '../../src/answers/comparison.js'
import { OutcomeSign, outcomeWord } from '../marks.js'
import { linkTo } from '../router.js'

/** The attempts of a run at an item, each a link. */
export function Attempts(props: {
  readonly label: string
  readonly attempts: readonly Attempt[]
  /** The attempt that is shown. */
  readonly shown?: number | undefined
  readonly hrefOf: (repetition: number) => string
}): JSX.Element {
  const { label, attempts, shown, hrefOf } = props
  if (attempts.length === 0) return <span class="quiet">absent</span>
  return (
    <nav class="attempts" aria-label={label}>
      {attempts.map(({ repetition, outcome }) => (
        <a
          key={repetition}
          href={hrefOf(repetition)}
          aria-current={repetition === shown ? 'true' : undefined}
          aria-label={`Repetition ${repetition}, ${outcomeWord(outcome)}`}
          title={`#${repetition} ${outcomeWord(outcome)}`}
        >
          <OutcomeSign outcome={outcome} />
        </a>
      ))}
    </nav>
  )
}

/** The filters of the list of items that a pair was opened from. The pair carries them along to find its neighbours. */
interface PairList {
  readonly change: string | undefined
  readonly ignore: string | undefined
  /** The words that the list was searched for. In the address of a pair `q` searches its journals. */
  readonly items: string | undefined
}

/** The filters in the address of the list, or in that of a pair. */
export function pairList(query: URLSearchParams, words: 'q' | 'items'): PairList {
  const of = (name: string) => query.get(name) ?? undefined
  return { change: of('change'), ignore: of('ignore'), items: of(words) }
}

/** Two runs that are compared, and the list that shows their items. */
export interface ComparedPair {
  readonly baseline: string
  readonly candidate: string
  readonly list: PairList
}

/** The link to the trials of an item, side by side. */
export function pairLink(
  { baseline, candidate, list }: ComparedPair,
  itemId: string,
  part?: string,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = ['compare', baseline, candidate, 'items', itemId, ...(part === undefined ? [] : [part])]
  return linkTo(path, { ...list, ...more })
}
