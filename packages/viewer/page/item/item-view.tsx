import { takenMs } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ItemDocument, TrialName } from '../../src/answers/item.js'
import { CopyButton } from '../copy-button.js'
import { Loaded, useDocument } from '../documents.js'
import { OutcomeMark, outcomeWord } from '../marks.js'
import { Head, Tabs } from '../navigation.js'
import { lastQuery } from '../places.js'
import { linkTo, type TrialRoute, trialPath } from '../router.js'
import { listQuery } from '../run/list-query.js'
import { dateAndTime, runName, showCommand, withTried } from '../text.js'
import { JournalPart } from '../transcript/journal-part.js'
import { ChangesPart } from './changes-part.js'
import { CostPart } from './cost-part.js'
import { UnfinishedTrial } from './unfinished-trial.js'
import { VerdictPart } from './verdict-part.js'

interface ItemProps {
  readonly trial: TrialRoute
  readonly part: string | undefined
}

interface ItemViewProps extends ItemProps {
  readonly query: URLSearchParams
}

/** One trial, with one of its views. A trial that ends while it is shown is fetched again. */
export function ItemView(props: ItemViewProps): JSX.Element {
  const [rounds, setRounds] = useState(0)
  return <Trial {...props} onEnd={() => setRounds(rounds + 1)} key={rounds} />
}

function Trial({ trial, part, query, onEnd }: ItemViewProps & { readonly onEnd: () => void }): JSX.Element {
  const loading = useDocument<ItemDocument>(trialPath(trial), listQuery(lastQuery(['runs', trial.run])))
  return (
    <Loaded of={loading} missing={<UnfinishedTrial trial={trial} query={query} onEnd={onEnd} />}>
      {(document) => (
        <>
          <ItemHead document={document} trial={trial} part={part} />
          <Tabs label="Views of this trial" tabs={tabsOf(trial, part)} />
          <ItemPart document={document} trial={trial} part={part} query={query} />
        </>
      )}
    </Loaded>
  )
}

/** The views of a trial. */
const parts: readonly (readonly [part: string | undefined, name: string])[] = [
  [undefined, 'Verdict'],
  ['changes', 'Changes'],
  ['journal', 'Journal'],
  ['cost', 'Tokens and cost'],
]

function tabsOf(trial: TrialRoute, current: string | undefined) {
  return parts.map(([part, name]) => ({ name, href: linkTo(trialPath(trial, part)), isCurrent: part === current }))
}

function ItemPart({
  document,
  trial,
  part,
  query,
}: ItemProps & { readonly document: ItemDocument; readonly query: URLSearchParams }): JSX.Element {
  switch (part) {
    case undefined:
      return <VerdictPart document={document} trial={trial} query={query} />
    case 'changes':
      return <ChangesPart trial={trial} query={query} />
    case 'journal':
      return <JournalPart trial={trial} query={query} />
    case 'cost':
      return <CostPart item={document.item} />
    default:
      return <p class="empty">A trial has no such view.</p>
  }
}

function ItemHead({ document, trial, part }: ItemProps & { readonly document: ItemDocument }): JSX.Element {
  const { item, outcome, index, total, repetitions } = document
  const { tried } = repetitions.find(({ repetition }) => repetition === item.repetition) ?? {}
  return (
    <>
      <Head
        crumbs={[
          { name: 'Runs', href: '#/' },
          { name: runName(document), href: linkTo(['runs', trial.run]) },
          { name: withTried(`${item.itemId} #${item.repetition}`, tried) },
        ]}
      >
        <OutcomeMark outcome={outcome} />
        <Neighbours document={document} trial={trial} part={part} />
      </Head>
      <div class="facts-line">
        <span>
          {index + 1} of {total}
        </span>
        {item.bucket === '' ? null : <span>{item.bucket}</span>}
        <span>{dateAndTime(item.startedAt)}</span>
        <span>{duration(takenMs(item))}</span>
        {item.tags.map((tag) => (
          <span class="tag" key={tag}>
            {tag}
          </span>
        ))}
        <CopyButton text={showCommand(trial.run, item)} label="Copy command that shows this trial" isMain>
          Copy command
        </CopyButton>
      </div>
      <Repetitions document={document} trial={trial} part={part} />
    </>
  )
}

function Neighbours({
  document: { previous, next },
  trial: { run },
  part,
}: ItemProps & { readonly document: ItemDocument }): JSX.Element {
  const to = (trial: TrialName) => linkTo(trialPath({ run, ...trial }, part))
  return (
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
  )
}

function Repetitions({
  document: { item, repetitions },
  trial: { run },
  part,
}: ItemProps & { readonly document: ItemDocument }): JSX.Element | null {
  if (repetitions.length < 2) return null
  return (
    <nav class="choices" style={{ marginTop: '0.8rem' }} aria-label="Repetitions">
      {repetitions.map(({ repetition, outcome, tried }) => (
        <a
          key={repetition}
          href={linkTo(trialPath({ run, itemId: item.itemId, repetition }, part))}
          aria-current={repetition === item.repetition ? 'true' : undefined}
          aria-label={`Repetition ${repetition}, ${outcomeWord(outcome)}`}
          title={tried}
        >
          #{repetition} <OutcomeMark outcome={outcome} />
        </a>
      ))}
    </nav>
  )
}
