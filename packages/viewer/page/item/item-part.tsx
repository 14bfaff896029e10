import type { JSX } from 'preact'
import type { ItemDocument } from '../../src/answers/item.js'
import { Facts } from '../run/conditions.js'
import { CostPart } from './cost-part.js'
import type { TrialPlace } from './item-view.js'
import { VerdictPart } from './verdict-part.js'

/** The view of a trial that was asked for. */
export function ItemPart({
  document: { item },
  part,
}: {
  readonly document: ItemDocument
  readonly trial: TrialPlace
  readonly part: string | undefined
  readonly query: URLSearchParams
}): JSX.Element {
  switch (part) {
    case undefined:
      return <VerdictPart item={item} />
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
      return <p class="empty">There is nothing at this address.</p>
  }
}
