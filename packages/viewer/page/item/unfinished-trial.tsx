import { trialText } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Loaded } from '../documents.js'
import { Head, NotFound } from '../navigation.js'
import { linkTo, type TrialRoute } from '../router.js'
import { JournalView } from '../transcript/journal-view.js'
import { useJournal } from '../transcript/use-journal.js'

export function UnfinishedTrial(props: {
  readonly trial: TrialRoute
  readonly query: URLSearchParams
  /** Called when the trial ends while it is shown. */
  readonly onEnd: () => void
}): JSX.Element {
  const { trial, query, onEnd } = props
  const { run, itemId, repetition } = trial
  const name = trialText({ itemId, repetition: Number(repetition) })
  const loading = useJournal(trial)
  const journal = loading.state === 'loaded' && 'records' in loading.document ? loading.document : undefined
  const isRunning = journal?.isRunning === true
  const [wasRunning, setWasRunning] = useState(false)
  useEffect(() => {
    if (isRunning) setWasRunning(true)
    else if (wasRunning) onEnd()
  }, [isRunning, wasRunning, onEnd])
  return (
    <Loaded of={loading} missing={<NotFound text={`The run ${run} has no trial ${name}.`} />}>
      {(document) => (
        <>
          <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: run, href: linkTo(['runs', run]) }, { name }]}>
            <span class="mark undecided">{isRunning ? 'running' : 'without a result'}</span>
          </Head>
          {'reason' in document ? (
            <p class="empty">{document.reason}</p>
          ) : (
            <JournalView journal={document} query={query} />
          )}
        </>
      )}
    </Loaded>
  )
}
