import type { JSX } from 'preact'
import type { ItemDocument } from '../../src/answers/item.js'
import { Facts } from '../run/conditions.js'
import { ChangesPart } from './changes-part.js'
import { CostPart } from './cost-part.js'
import type { TrialPlace } from './item-view.js'
import { JournalPart } from './journal-part.js'
import { VerdictPart } from './verdict-part.js'

/** The view of a trial that was asked for. */
export function ItemPart({
  document: { item },
  trial,
  part,
  query,
}: {
  readonly document: ItemDocument
  readonly trial: TrialPlace
  readonly part: string | undefined
  readonly query: URLSearchParams
}): JSX.Element {
  switch (part) {
    case undefined:
      return <VerdictPart item={item} />
    case 'changes':
      return <ChangesPart trial={trial} query={query} />
    case 'journal':
      return <JournalPart trial={trial} />
    case 'cost':
      return <CostPart item={item} />
    case 'facts': {
      const invocation = item.detail?.kind === 'agent' ? item.detail.invocation : undefined
      return (
        <>
          <Facts title="Metadata of the item" facts={item.metadata} nothing="None was given." />
          <Facts
            title="Metadata of the agent"
            facts={(invocation?.metadata ?? {}) as Parameters<typeof Facts>[0]['facts']}
            nothing="None was given."
          />
        </>
      )
    }
    default:
      return <p class="empty">There is no such view of a trial.</p>
  }
}
