import type { JSX } from 'preact'
import type { Attempt } from '../../src/answers/comparison.js'
import { OutcomeSign, outcomeWord } from '../marks.js'

/** The attempts of a run at an item, each a link. */
export function Attempts({
  label,
  attempts,
  shown,
  hrefOf,
}: {
  readonly label: string
  readonly attempts: readonly Attempt[]
  /** The attempt that is shown. */
  readonly shown?: number | undefined
  readonly hrefOf: (repetition: number) => string
}): JSX.Element {
  if (attempts.length === 0) return <span class="quiet">absent</span>
  return (
    <nav class="attempts" aria-label={label}>
      {attempts.map(({ repetition, outcome }) => (
        <a
          key={repetition}
          href={hrefOf(repetition)}
          aria-current={repetition === shown ? 'true' : undefined}
          aria-label={`Attempt ${repetition}, ${outcomeWord(outcome)}`}
          title={`#${repetition} ${outcomeWord(outcome)}`}
        >
          <OutcomeSign outcome={outcome} />
        </a>
      ))}
    </nav>
  )
}
