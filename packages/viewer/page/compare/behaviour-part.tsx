import { counted, pValue } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { BehaviourBetweenDocument } from '../../src/files/behaviour.js'
import { Loaded, useDocument } from '../documents.js'
import { TablePart } from '../parts.js'
import { linkTo } from '../router.js'
import { nameColumn } from '../table.js'

type Read = Extract<BehaviourBetweenDocument, { readonly state: 'read' }>

const mostAlike = 20

/** The differences in behaviour between the agents of two runs. Runs without journals say so: that is not "unchanged". */
export function BehaviourPart(props: { readonly baseline: string; readonly candidate: string }): JSX.Element {
  const { baseline, candidate } = props
  const loading = useDocument<BehaviourBetweenDocument>(['runs', candidate, 'behaviour', baseline])
  return (
    <Loaded of={loading} missing="">
      {(document) =>
        document.state === 'unknown' ? (
          <p class="quiet small">Behaviour: {document.reason}.</p>
        ) : (
          <BehaviourTable document={document} pair={[baseline, candidate]} />
        )
      }
    </Loaded>
  )
}

function BehaviourTable(props: { readonly document: Read; readonly pair: readonly [string, string] }): JSX.Element {
  const { items, isTested, rows, alikeButOther } = props.document
  return (
    <TablePart
      title="Behaviour"
      rows={rows}
      keyOf={({ how, what }) => `${how} ${what}`}
      columns={[
        nameColumn<Read['rows'][number]>('What', ({ how, what }) => `${how} ${what}`),
        { title: 'Baseline', cell: ({ baseline }) => baseline },
        { title: 'Candidate', cell: ({ candidate }) => candidate },
        { title: 'p (Holm)', cell: ({ pValue: p }) => (p === null ? '' : pValue(p)) },
      ]}
    >
      <p class="quiet small">
        {rows.length === 0
          ? 'No tool, host or argument is new or gone, and no amount changed by more than chance. '
          : ''}
        Over {counted(items, 'item')} with journals on both sides.
        {isTested ? '' : ' Too few items and repetitions to test: amounts are shown.'}
      </p>
      {alikeButOther.length === 0 ? null : (
        <p class="small">
          Same pass rate, other behaviour:{' '}
          {alikeButOther.slice(0, mostAlike).map(({ itemId, added, gone }) => (
            <span key={itemId}>
              <a href={linkTo(['compare', ...props.pair, 'items', itemId])}>{itemId}</a>{' '}
              {[...added.map((name) => `+${name}`), ...gone.map((name) => `−${name}`)].join(', ')};{' '}
            </span>
          ))}
        </p>
      )}
    </TablePart>
  )
}
