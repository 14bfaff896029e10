import type { JSX } from 'preact'
import type { UnfinishedDocument } from '../../src/files/unfinished-trials.js'
import { useDocument } from '../documents.js'
import { linkTo, trialPath } from '../router.js'

/** More than run at the same time would fill the page. */
const mostNamed = 12
const everySecond = () => 1_000

/** Links to the trials that are being run, whose journals can be read already. */
export function UnfinishedTrials({ run }: { readonly run: string }): JSX.Element | null {
  const loading = useDocument<UnfinishedDocument>(['runs', run, 'unfinished'], undefined, everySecond)
  const trials = loading.state === 'loaded' ? loading.document.trials : []
  return (
    <p class="running-now small">
      <span class="quiet">{trials.length === 0 ? 'No running trial has recorded anything yet.' : 'Running now:'}</span>
      {trials.slice(0, mostNamed).map(({ itemId, repetition, worker }) => (
        <span key={`${itemId} ${repetition}`}>
          <a href={linkTo(trialPath({ run, itemId, repetition }, 'journal'))}>
            {itemId} #{repetition}
          </a>
          {worker && <span class="quiet"> on {worker}</span>}
        </span>
      ))}
      {trials.length > mostNamed ? <span class="quiet">and {trials.length - mostNamed} more</span> : null}
    </p>
  )
}
