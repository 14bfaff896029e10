import { flatten, type Usage } from '@jurist/core'
import { grouped, hadWorkspace, takenMs, trialText } from '@jurist/experiment/internal/results'
import { dollars, duration, type ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ItemDocument, OtherVariant } from '../../src/answers/item.js'
import type { PromotedDocument } from '../../src/review/promoter.js'
import { Attempts } from '../compare/pair-links.js'
import { CopyButton } from '../copy-button.js'
import { Loaded, sent, useDocument } from '../documents.js'
import { listQuery } from '../filters.js'
import { useKeys } from '../keys.js'
import { OutcomeMark, outcomeWord } from '../marks.js'
import { Head, Neighbours, NotFound, Tabs, type Views } from '../navigation.js'
import { TablePart } from '../parts.js'
import { lastQuery } from '../places.js'
import { linkTo, type TrialRoute, trialPath } from '../router.js'
import { type Column, numberColumn } from '../table.js'
import { commandLine, dateAndTime, mayPromote, runName, showCommand, withTried } from '../text.js'
import { JournalPart, JournalView, useJournal } from '../transcript/journal-view.js'
import { ChangesPart } from './changes-part.js'
import { VerdictPart } from './verdict-part.js'

interface ItemProps {
  readonly trial: TrialRoute
  readonly part: string | undefined
}

interface ItemViewProps extends ItemProps {
  readonly query: URLSearchParams
}

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
          <Tabs
            label="Views of this trial"
            views={partsOf(document.item)}
            current={part}
            hrefOf={(one) => linkTo(trialPath(trial, one))}
          />
          <ItemPart document={document} trial={trial} part={part} query={query} />
        </>
      )}
    </Loaded>
  )
}

/** The views that have something to show. */
function partsOf(item: ItemResult): Views {
  const isEmpty = { changes: !hadWorkspace(item), journal: item.journalPath === null }
  return parts.filter(([part]) => !isEmpty[part as keyof typeof isEmpty])
}

const parts: Views = [
  [undefined, 'Verdict'],
  ['changes', 'Changes'],
  ['journal', 'Journal'],
  ['cost', 'Tokens and cost'],
]

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
  const { item, outcome, previous, next, index, total, repetitions } = document
  const { tried } = repetitions.find(({ repetition }) => repetition === item.repetition) ?? {}
  return (
    <>
      <Head
        crumbs={[
          { name: 'Runs', href: '#/' },
          { name: runName(document), href: linkTo(['runs', trial.run]) },
          { name: withTried(trialText(item), tried) },
        ]}
      >
        <OutcomeMark outcome={outcome} />
        <Neighbours
          previous={previous}
          next={next}
          hrefOf={(one) => linkTo(trialPath({ run: trial.run, ...one }, part))}
          nameOf={({ itemId, repetition }) => (
            <span>
              <span class="middle-only">{itemId}</span>#{repetition}
            </span>
          )}
        />
      </Head>
      <div class="row facts-line quiet small">
        <span>
          {index + 1} of {total}
        </span>
        {document.quarantine === '' ? null : <span>{document.quarantine}</span>}
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
      {item.passed === false ? (
        <Promote run={trial.run} trial={trialText(item)} key={`${trial.run} ${trialText(item)}`} />
      ) : null}
      <Repetitions document={document} trial={trial} part={part} />
      {document.hasVariants ? <OtherVariants trial={trial} /> : null}
    </>
  )
}

/** The same item in the other variants of the session. The name of a variant opens both trials side by side. */
function OtherVariants({ trial }: { readonly trial: TrialRoute }): JSX.Element {
  const { run, itemId } = trial
  const loading = useDocument<readonly OtherVariant[]>([...trialPath(trial), 'variants'])
  const others = loading.state === 'loaded' ? loading.document : []
  return (
    <div class="row small other-variants">
      {others.length === 0 ? null : <span class="quiet">The same item in</span>}
      {others.map((other) => (
        <span class="row" key={other.run}>
          <a href={linkTo(['compare', run, other.run, 'items', itemId])}>{other.name}</a>
          <Attempts
            label={`Repetitions of ${other.name}`}
            attempts={other.attempts}
            hrefOf={(repetition) => linkTo(trialPath({ run: other.run, itemId, repetition }))}
          />
        </span>
      ))}
    </div>
  )
}

function Repetitions({
  document: { item, repetitions },
  trial: { run },
  part,
}: ItemProps & { readonly document: ItemDocument }): JSX.Element | null {
  if (repetitions.length < 2) return null
  return (
    <nav class="row choices" style={{ marginTop: '0.8rem' }} aria-label="Repetitions">
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

interface Spent {
  readonly name: string
  readonly usage: Usage | null | undefined
  readonly costUsd: number | null | undefined
  readonly elapsedMs: number | null | undefined
}

function CostPart({ item }: { readonly item: ItemResult }): JSX.Element {
  const phases = item.detail?.kind === 'agent' ? (item.detail.invocation.phases ?? []) : []
  const judges = item.verdict === null ? [] : flatten(item.verdict).filter(({ kind }) => kind === 'judge')
  return (
    <>
      <SpentTable
        title="Total"
        rows={[
          { name: 'agent', usage: item.usage, costUsd: item.costUsd, elapsedMs: item.agentMs },
          { name: 'judges', usage: item.judgeUsage, costUsd: item.judgeCostUsd, elapsedMs: item.juryMs },
          { name: 'setup', usage: null, costUsd: null, elapsedMs: item.setupMs },
        ]}
      />
      <SpentTable title="Phases of the agent" rows={phases.map((phase) => spentBy(phase.name, phase))} />
      <SpentTable title="Judges" rows={judges.map(({ path, judgment }) => spentBy(path.slice(1), judgment))} />
    </>
  )
}

function spentBy(
  name: string,
  { usage, costUsd, elapsedMs }: { readonly usage?: Usage; readonly costUsd?: number; readonly elapsedMs?: number },
): Spent {
  return { name, usage, costUsd, elapsedMs }
}

const columns: readonly Column<Spent>[] = [
  { title: 'Part', isRowHeading: true, cell: ({ name }) => name },
  numberColumn('Tokens in', ({ usage }) => grouped(usage?.inputTokens)),
  numberColumn('cached', ({ usage }) => grouped(usage?.cacheReadTokens)),
  numberColumn('out', ({ usage }) => grouped(usage?.outputTokens)),
  numberColumn('Cost', ({ costUsd }) => dollars(costUsd)),
  numberColumn('Time', ({ elapsedMs }) => duration(elapsedMs)),
]

function SpentTable({ title, rows }: { readonly title: string; readonly rows: readonly Spent[] }): JSX.Element | null {
  return rows.length === 0 ? null : <TablePart title={title} columns={columns} rows={rows} keyOf={({ name }) => name} />
}

type Made =
  | { readonly state: 'closed' | 'shown' | 'running' }
  | { readonly state: 'done' | 'refused'; readonly text: string }

/** The command that makes an item of a failed trial. A server that may write runs it, and the item is shown. */
function Promote({ run, trial }: { readonly run: string; readonly trial: string }): JSX.Element {
  const [made, setMade] = useState<Made>({ state: 'closed' })
  const command = commandLine('promote', run, trial, '--minimise')
  const act = async () => {
    if (made.state === 'running') return
    if (made.state !== 'closed') return setMade({ state: 'closed' })
    if (!mayPromote()) return setMade({ state: 'shown' })
    setMade({ state: 'running' })
    try {
      const { text } = await sent<PromotedDocument>('promote', { run, trial })
      setMade({ state: 'done', text })
    } catch (thrown) {
      setMade({ state: 'refused', text: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  }
  useKeys({ P: { does: 'Make a test of this failure', act: () => void act(), isOnce: true } })
  return (
    <div class="promote">
      <button
        type="button"
        class="minor"
        aria-expanded={made.state !== 'closed'}
        aria-keyshortcuts="P"
        title="Key: P"
        onClick={() => void act()}
      >
        Make a test of it
      </button>
      {made.state === 'closed' ? null : (
        <>
          {' '}
          <code>{command}</code> <CopyButton text={command} label="Copy the command that makes an item of this trial" />
        </>
      )}
      <div role="status">
        {made.state === 'running' ? <p class="quiet">The judges look at smaller and smaller parts of it…</p> : null}
        {'text' in made ? <pre class="sheet card">{made.text}</pre> : null}
      </div>
    </div>
  )
}

function UnfinishedTrial(props: {
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
