import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import { linkTo } from '../router.js'

const mostShown = 6

/** The other variants of the session, in a line; nothing for a run without them. */
export function Variants({ document: { run, variants } }: { readonly document: RunDocument }): JSX.Element | null {
  if (variants.length < 2 || run.session === null) return null
  const others = variants.filter(({ id }) => id !== run.id)
  const session = linkTo(['sessions', run.experimentName, run.session])
  return (
    <p class="variants-line small">
      <a href={session}>
        All {grouped(variants.length)} variants of the session {run.session}
      </a>
      <a href={linkTo(['sessions', run.experimentName, run.session], { view: 'items' })}>Items of all variants</a>
      <a href={linkTo(['outputs', ...variants.map(({ id }) => id)])}>Outputs of all variants</a>
      {others.slice(0, mostShown).map(({ id, variant, passRate }) => (
        <span key={id}>
          <a href={linkTo(['runs', id])}>{variant ?? id}</a> <span class="quiet">{percent(passRate)}</span>
        </span>
      ))}
      {others.length > mostShown ? <span class="quiet">and {grouped(others.length - mostShown)} more</span> : null}
    </p>
  )
}
