import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Attempt } from '../../src/answers/comparison.js'
import { OutcomeSign, outcomeWord } from '../marks.js'
import { linkTo } from '../router.js'

export function Attempts(props: {
  readonly label: string
  readonly attempts: readonly Attempt[]
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

/** The filters of the list of items that a pair was opened from. A pair keeps them to find its neighbours. */
interface PairList {
  readonly change: string | undefined
  readonly ignore: string | undefined
  /** The search words of the list. In the address of a pair, `q` searches its journals. */
  readonly items: string | undefined
}

/** Reads the filters from the address of the list, or from that of a pair. */
export function pairList(query: URLSearchParams, words: 'q' | 'items'): PairList {
  const of = (name: string) => query.get(name) ?? undefined
  return { change: of('change'), ignore: of('ignore'), items: of(words) }
}

export interface ComparedPair {
  readonly baseline: string
  readonly candidate: string
  readonly list: PairList
}

export function pairLink(
  { baseline, candidate, list }: ComparedPair,
  itemId: string,
  part?: string,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = ['compare', baseline, candidate, 'items', itemId, ...(part === undefined ? [] : [part])]
  return linkTo(path, { ...list, ...more })
}

/** The same width as in the style sheet: two columns need more room. */
const narrow = '(max-width: 48rem)'

export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches)
  useEffect(() => {
    const media = matchMedia(narrow)
    const listen = () => setNarrow(media.matches)
    media.addEventListener('change', listen)
    return () => media.removeEventListener('change', listen)
  }, [])
  return isNarrow
}
