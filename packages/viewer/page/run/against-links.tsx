import { counted, isMeasurement, points } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { AgainstDocument, Reference } from '../../src/answers/against.js'
import type { RunDocument } from '../../src/answers/run.js'
import { useDocument } from '../documents.js'
import { linkTo } from '../router.js'
import { dateAndTime } from '../text.js'

/**
 * Links that compare a run with the previous one and with its baseline, or what prevents that; and a link to its trend.
 */
export function AgainstLinks({ run }: { readonly run: RunDocument['run'] }): JSX.Element {
  const loading = useDocument<AgainstDocument>(['runs', run.id, 'against'])
  const loaded = loading.state === 'loaded' ? loading.document : undefined
  const { before, baseline } = loaded ?? {}
  const isSame =
    before?.state === 'run' && baseline?.state === 'run'
      ? before.id === baseline.id
      : before?.state === 'none' && baseline?.state === 'none' && before.reason === baseline.reason
  const kind = isMeasurement(run.kind) ? run.kind : undefined
  return (
    <nav class="row against small" aria-label="Compare this run">
      <a href={linkTo(['experiments', run.experimentName], { variant: run.variant ?? undefined, kind })}>
        Trend of {run.experimentName}
      </a>
      {loaded === undefined ? null : (
        <>
          <Against name={nameOf(run, isSame)} reference={loaded.before} run={run.id} />
          {isSame ? null : <Against name="Compare with the baseline" reference={loaded.baseline} run={run.id} />}
        </>
      )}
    </nav>
  )
}

function nameOf({ lineage }: RunDocument['run'], isBaseline: boolean): string {
  if (lineage !== null) return 'Compare with the run it was judged from'
  return isBaseline ? 'Compare with the run before, its baseline' : 'Compare with the run before'
}

function Against(props: {
  readonly name: string
  readonly reference: Reference
  readonly run: string
}): JSX.Element | null {
  const { name, reference, run } = props
  if (reference.state === 'none')
    return reference.reason === null ? null : (
      <span class="quiet">
        {name}: none, {reference.reason}
      </span>
    )
  const { id, startedAt, delta, skipped, changes } = reference
  const changed = changes.map(({ what }) => what).join(', ')
  return (
    <span>
      <a href={linkTo(['compare', id, run])}>{name}</a>{' '}
      <span class="quiet">
        {dateAndTime(startedAt)}
        {delta === null ? '' : `, ${points(delta)} points`}
        {changed === '' ? '' : `; changed: ${changed}`}
        {skipped === 0 ? '' : `; ${counted(skipped, 'newer run')} with other conditions left out`}
      </span>
    </span>
  )
}
