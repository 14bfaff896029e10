import type { JSX } from 'preact'
import type { TrialName } from '../../src/answers/find-trial.js'
import type { ItemDocument } from '../../src/answers/item.js'
import { duration, instant } from '../amounts.js'
import { Crumbs } from '../crumbs.js'
import { Nothing } from '../nothing.js'
import { OutcomeMark, outcomeWord } from '../outcome-mark.js'
import { linkTo } from '../place.js'
import { nameOf } from '../run-name.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { Tabs } from '../tabs.js'
import { ItemPart } from './item-part.js'

/** What names a trial in the store. */
export interface TrialPlace {
  readonly run: string
  readonly itemId: string
  readonly repetition: string
}

interface Given {
  readonly trial: TrialPlace
  readonly part: string | undefined
  readonly query: URLSearchParams
}

/** One trial: how it ended, and one of the views of why. */
export function ItemView({ trial, part, query }: Given): JSX.Element {
  const { run, itemId, repetition } = trial
  const loading = useDocument<ItemDocument>(['runs', run, 'items', itemId, repetition])
  return (
    <State of={loading} missing={<Nothing text={`The run ${run} has no trial ${itemId} #${repetition}.`} />}>
      {(document) => (
        <>
          <ItemHead document={document} trial={trial} part={part} />
          <Tabs label="Views of this trial" tabs={tabsOf(trial, part)} />
          <ItemPart document={document} trial={trial} part={part} query={query} />
        </>
      )}
    </State>
  )
}

const parts: readonly (readonly [part: string | undefined, name: string])[] = [
  [undefined, 'Verdict'],
  ['changes', 'Changes'],
  ['journal', 'Journal'],
  ['cost', 'Tokens and cost'],
  ['facts', 'Facts'],
]

function tabsOf({ run, itemId, repetition }: TrialPlace, here: string | undefined) {
  return parts.map(([part, name]) => ({
    name,
    href: linkTo(['runs', run, 'items', itemId, repetition, ...(part === undefined ? [] : [part])]),
    isHere: part === here,
  }))
}

function ItemHead({
  document: { experimentName, variant, item, outcome, index, total, previous, next, repetitions },
  trial,
  part,
}: {
  readonly document: ItemDocument
  readonly trial: TrialPlace
  readonly part: string | undefined
}): JSX.Element {
  const to = ({ itemId, repetition }: TrialName) =>
    linkTo(['runs', trial.run, 'items', itemId, repetition, ...(part === undefined ? [] : [part])])
  return (
    <>
      <Crumbs
        way={[
          { name: 'Runs', href: '#/' },
          { name: nameOf(experimentName, variant), href: linkTo(['runs', trial.run]) },
          { name: `${item.itemId} #${item.repetition}` },
        ]}
      />
      <div class="head">
        <h1>
          {item.itemId} <span class="quiet">#{item.repetition}</span>
        </h1>
        <OutcomeMark outcome={outcome} />
        <nav class="beside choices" aria-label="Neighbours">
          {previous === null ? null : (
            <a href={to(previous)} rel="prev">
              ← <span class="middle-only">{previous.itemId}</span> #{previous.repetition}
            </a>
          )}
          {next === null ? null : (
            <a href={to(next)} rel="next">
              <span class="middle-only">{next.itemId}</span> #{next.repetition} →
            </a>
          )}
        </nav>
      </div>
      <div class="facts-line">
        <span>
          {index + 1} of {total}
        </span>
        {item.bucket === '' ? null : <span>{item.bucket}</span>}
        <span>{instant(item.startedAt)}</span>
        <span>{duration(item.durationMs)}</span>
        {item.tags.map((tag) => (
          <span class="tag" key={tag}>
            {tag}
          </span>
        ))}
      </div>
      {repetitions.length < 2 ? null : (
        <nav class="choices" style={{ marginTop: '0.8rem' }} aria-label="Repetitions">
          {repetitions.map((other) => (
            <a
              key={other.repetition}
              href={to({ itemId: item.itemId, repetition: other.repetition })}
              aria-current={other.repetition === item.repetition ? 'true' : undefined}
              aria-label={`Repetition ${other.repetition}, ${outcomeWord(other.outcome)}`}
            >
              #{other.repetition} <OutcomeMark outcome={other.outcome} />
            </a>
          ))}
        </nav>
      )}
    </>
  )
}
