import { changeWord, grouped, takenMs, trialText } from '@jurist/experiment/internal/results'
import { dollars, duration, outcomeOf } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { PairDocument, PairSide } from '../../src/answers/pair.js'
import { CopyButton } from '../copy-button.js'
import { Loaded, useDocument } from '../documents.js'
import { OutcomeMark } from '../marks.js'
import { Head, Neighbours, NotFound, Tabs, type Views } from '../navigation.js'
import { linkTo, trialPath } from '../router.js'
import { runName, showCommand } from '../text.js'
import { PairChanges } from './pair-changes.js'
import { PairJournals } from './pair-journals.js'
import { Attempts, type ComparedPair, pairLink, pairList } from './pair-links.js'
import { PairVerdict } from './pair-verdict.js'

interface PairProps {
  readonly baseline: string
  readonly candidate: string
  readonly itemId: string
  readonly part: string | undefined
  readonly query: URLSearchParams
}

export function PairView(given: PairProps): JSX.Element {
  const { baseline, candidate, itemId, query } = given
  const props = { ...given, list: pairList(query, 'items') }
  const { change, items } = props.list
  const wanted = Object.entries({ ...chosenOf(given), change, q: items })
  const search = new URLSearchParams(wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const loading = useDocument<PairDocument>(['compare', baseline, candidate, 'items', itemId], search)
  return (
    <Loaded of={loading} missing={<NotFound text={`This store does not have both runs, or none has ${itemId}.`} />}>
      {(document) => (
        <>
          <PairHead {...props} document={document} />
          <Tabs
            label="Views of these trials"
            views={parts}
            current={props.part}
            hrefOf={(one) => pairLink(props, itemId, one, chosenOf(props))}
          />
          <PairPart {...props} document={document} />
        </>
      )}
    </Loaded>
  )
}

const parts: Views = [
  [undefined, 'Output and verdict'],
  ['changes', 'Changes'],
  ['journal', 'Journals'],
]

/** Finds the attempts that the address names. */
function chosenOf({ query }: PairProps) {
  return { left: query.get('left') ?? undefined, right: query.get('right') ?? undefined }
}

type Shown = PairProps & ComparedPair & { readonly document: PairDocument }

function PairHead(props: Shown): JSX.Element {
  const { baseline, candidate, document } = props
  const { itemId, change, left, right, previous, next, index, total } = document
  const list = linkTo(['compare', baseline, candidate])
  const name = baseline === candidate ? 'Repetitions' : 'Comparison'
  return (
    <>
      <Head crumbs={[{ name: 'Runs', href: '#/' }, { name, href: list }, { name: itemId }]}>
        {baseline === candidate ? null : <span class="tag">{changeWord(change)}</span>}
        <Neighbours
          previous={previous}
          next={next}
          hrefOf={(one) => pairLink(props, one, props.part)}
          nameOf={(one) => <span class="middle-only">{one}</span>}
        >
          <span class="quiet small">
            {index === null ? `not among ${grouped(total)} listed` : `${grouped(index + 1)} of ${grouped(total)}`}
          </span>
        </Neighbours>
      </Head>
      <div class="pair sides">
        <SideHead {...props} side={left} at="left" />
        <SideHead {...props} side={right} at="right" />
      </div>
    </>
  )
}

function SideHead(props: Shown & { readonly side: PairSide; readonly at: 'left' | 'right' }): JSX.Element {
  const { side, at, document, part } = props
  const { run, attempts, item } = side
  const across = at === 'left' ? 'right' : 'left'
  const other = document[across].item?.repetition
  const chosen = (repetition: number) => ({ [at]: String(repetition), [across]: other?.toString() })
  return (
    <section class="card side" aria-label={at === 'left' ? 'Left' : 'Right'}>
      <div class="row side-head">
        <a href={linkTo(['runs', run.id])}>{runName(run)}</a>
        <Attempts
          label={`Repetitions of ${runName(run)}`}
          attempts={attempts}
          shown={item?.repetition}
          hrefOf={(repetition) => pairLink(props, document.itemId, part, chosen(repetition))}
        />
      </div>
      {item === null ? (
        <p class="quiet small">This run does not have the item.</p>
      ) : (
        <div class="row facts-line quiet small">
          <OutcomeMark outcome={outcomeOf(item)} />
          <a href={linkTo(trialPath({ run: run.id, itemId: item.itemId, repetition: item.repetition }))}>
            {trialText(item)}
          </a>
          {item.costUsd === null ? null : <span>{dollars(item.costUsd)}</span>}
          <span>{duration(takenMs(item))}</span>
          <CopyButton
            text={showCommand(run.id, item)}
            label={`Copy the command that shows ${trialText(item)} of ${runName(run)}`}
            isMain={at === 'right'}
          >
            Copy command
          </CopyButton>
        </div>
      )}
    </section>
  )
}

function PairPart({ document, part, query }: Shown): JSX.Element {
  switch (part) {
    case undefined:
      return <PairVerdict document={document} query={query} />
    case 'changes':
      return <PairChanges document={document} query={query} />
    case 'journal':
      // What is fetched of a journal belongs to its trial.
      return <PairJournals key={trialsOf(document)} document={document} query={query} />
    default:
      return <p class="empty">Two trials have no such view.</p>
  }
}

function trialsOf({ itemId, left, right }: PairDocument): string {
  return JSON.stringify([itemId, ...[left, right].map(({ run, item }) => [run.id, item?.repetition])])
}
