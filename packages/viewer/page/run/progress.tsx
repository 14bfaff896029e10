import { grouped, trialText } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import type { UnfinishedDocument } from '../../src/files/unfinished-trials.js'
import { useDocument } from '../documents.js'
import { linkTo, trialPath } from '../router.js'

/** The progress of a running run, and the time that is left at its current pace. */
export function Progress({ document: { run } }: { readonly document: RunDocument }): JSX.Element | null {
  if (run.status !== 'running') return null
  const { planned, run: ended } = run.counts
  const elapsedMs = Math.max(0, Date.now() - Date.parse(run.startedAt))
  const left = ended === 0 ? undefined : (elapsedMs / ended) * Math.max(0, planned - ended)
  return (
    <div class="row progress">
      <progress max={planned} value={ended} aria-label="Trials that have ended" />
      <span>
        {grouped(ended)} of {grouped(planned)} trials
        <span class="quiet">
          , {duration(elapsedMs)} so far{left === undefined ? '' : `, about ${duration(left)} left`}
        </span>
      </span>
    </div>
  )
}

/** The evidence of a run that stops when it is decided, against the line where it stops. */
export function Evidence({ document: { sequential } }: { readonly document: RunDocument }): JSX.Element | null {
  if (sequential === null) return null
  const { items, planned, evidence, line, lines } = sequential
  const [head, ...others] = lines
  // Evidence multiplies, so equal steps are equal factors.
  const share = evidence === null ? 1 : Math.max(0, Math.min(1, Math.log(Math.max(1, evidence)) / Math.log(line)))
  const value =
    evidence === null
      ? 'settled by counting'
      : `${evidence.toPrecision(2)} to 1 of the ${Math.round(line)} that a stop needs`
  return (
    <div class="evidence">
      <p class="note">{head}</p>
      <div class="row progress">
        <progress max={1} value={share} aria-label="Evidence against the line where the run stops" />
        <span>
          Evidence {value}{' '}
          <span class="quiet">
            after {grouped(items)} of {grouped(planned)} items
          </span>
        </span>
      </div>
      {others.map((sentence) => (
        <p class="quiet small" key={sentence}>
          {sentence}
        </p>
      ))}
    </div>
  )
}

/** A longer list would fill the page. */
const mostNamed = 12
const everySecond = () => 1_000

/** Links to the trials that are running. Their journals can be read already. */
export function UnfinishedTrials({ run }: { readonly run: string }): JSX.Element | null {
  const loading = useDocument<UnfinishedDocument>(['runs', run, 'unfinished'], undefined, everySecond)
  const trials = loading.state === 'loaded' ? loading.document.trials : []
  return (
    <p class="row running-now small">
      <span class="quiet">{trials.length === 0 ? 'No running trial has recorded anything yet.' : 'Running now:'}</span>
      {trials.slice(0, mostNamed).map(({ itemId, repetition, worker }) => (
        <span key={`${itemId} ${repetition}`}>
          <a href={linkTo(trialPath({ run, itemId, repetition }, 'journal'))}>{trialText({ itemId, repetition })}</a>
          {worker && <span class="quiet"> on {worker}</span>}
        </span>
      ))}
      {trials.length > mostNamed ? <span class="quiet">and {trials.length - mostNamed} more</span> : null}
    </p>
  )
}
