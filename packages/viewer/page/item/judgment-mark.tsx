import type { JudgmentStatus } from '@jurist/core'
import type { JSX } from 'preact'

const signs: Readonly<Record<JudgmentStatus, string>> = { pass: '✓', fail: '✗', abstain: '?', error: 'E' }

/** The status of a judgment as sign and word, before the name of who said it. */
export function JudgmentMark({
  status,
  name,
}: {
  readonly status: JudgmentStatus
  readonly name: string
}): JSX.Element {
  return (
    <span class={`mark ${status}`}>
      <span class="sign" role="img" aria-label={status}>
        {signs[status]}
      </span>
      <strong>{name}</strong>
    </span>
  )
}
