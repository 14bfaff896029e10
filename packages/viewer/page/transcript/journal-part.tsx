import type { JSX } from 'preact'
import { Loaded } from '../documents.js'
import type { TrialRoute } from '../router.js'
import { JournalView } from './journal-view.js'
import { useJournal } from './use-journal.js'

/** The journal of a trial: what the agent recorded while it worked. */
export function JournalPart({
  trial,
  query,
  hasKeys,
}: {
  readonly trial: TrialRoute
  readonly query: URLSearchParams
  /** As in `JournalView`. */
  readonly hasKeys?: boolean | undefined
}): JSX.Element {
  const loading = useJournal(trial)
  return (
    <Loaded of={loading} missing="A static report does not contain journals. Use the store: jurist view">
      {(journal) =>
        'reason' in journal ? (
          <p class="empty">{journal.reason}</p>
        ) : (
          <JournalView journal={journal} query={query} hasKeys={hasKeys} />
        )
      }
    </Loaded>
  )
}
