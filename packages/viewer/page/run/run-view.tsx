import { counted, isMeasurement, points, scoreMeans } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useContext, useState } from 'preact/hooks'
import type { AgainstDocument, Reference } from '../../src/answers/against.js'
import type { RunDocument } from '../../src/answers/run.js'
import { BehaviourPart } from '../behaviour.js'
import { CalibrationPart } from '../calibration/calibration-part.js'
import { CopyButton, SaveButton } from '../copy-button.js'
import { Loaded, SourceContext, saveFile, server, useDocument } from '../documents.js'
import { JudgesPart } from '../judges/judges-part.js'
import { RunStatusWord } from '../marks.js'
import { Head, NotFound, Tabs, type Views } from '../navigation.js'
import { TestsCannotFail, UndecidedJudges, Warnings } from '../parts.js'
import { linkTo, toggled } from '../router.js'
import { dateAndTime, runName } from '../text.js'
import { WhatIfPart } from '../what-if/what-if-part.js'
import { Conditions, Variants } from './conditions.js'
import { CostPart } from './cost-part.js'
import { FiguresPart } from './figures-part.js'
import { ItemsTable } from './items-table.js'
import { Evidence, Progress, RunFigures, UnfinishedTrials } from './run-figures.js'

/** A running run is refreshed every second. */
const whileRunning = ({ run }: RunDocument) => (run.status === 'running' ? 1_000 : undefined)

export function RunView(props: {
  readonly id: string
  readonly part: string | undefined
  readonly query: URLSearchParams
}): JSX.Element {
  const { id, part, query } = props
  const loading = useDocument<RunDocument>(['runs', id], undefined, whileRunning)
  return (
    <Loaded of={loading} missing={<NotFound text={`This store has no run ${id}.`} />}>
      {(document) => (
        <>
          <TestsCannotFail text={document.testsCannotFail} />
          <UndecidedJudges judges={document.undecidedJudges} />
          <RunHead document={document} />
          <AgainstLinks run={document.run} />
          {document.run.status === 'running' ? <UnfinishedTrials run={id} /> : null}
          <Warnings warnings={document.warnings} />
          <Tabs
            label="Views of this run"
            views={partsOf(document)}
            current={part}
            hrefOf={(one) => linkTo(['runs', id, ...(one === undefined ? [] : [one])])}
          />
          <RunPart document={document} part={part} query={query} />
        </>
      )}
    </Loaded>
  )
}

function RunHead({ document: { run } }: { readonly document: RunDocument }): JSX.Element {
  const { id, startedAt, code, lineage } = run
  return (
    <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: runName(run) }]}>
      <RunStatusWord status={run.status} />
      <span class="quiet small" title={id}>
        {dateAndTime(startedAt)}
      </span>
      {code.gitCommit === null ? null : (
        <span class="quiet code" title={`Commit ${code.gitCommit}${code.dirty ? ', with uncommitted changes' : ''}`}>
          {code.gitCommit.slice(0, 8)}
          {code.dirty ? '+' : ''}
        </span>
      )}
      {lineage === null ? null : (
        <a class="small" href={linkTo(['runs', lineage.rejudgedFrom])} title={lineage.rejudgedFrom}>
          judged again from another run
        </a>
      )}
      <CopyButton text={id} label="Copy id" isMain>
        Copy id
      </CopyButton>
      <Share run={id} />
    </Head>
  )
}

/** The views that have something to show. What a calibration is about comes first. */
function partsOf({ run, hasLabels }: RunDocument): Views {
  const calibration = ['calibration', 'Calibration'] as const
  if (run.kind === 'judge') return [calibration, ...parts.filter(([part]) => part !== 'behaviour')]
  return hasLabels ? parts.toSpliced(3, 0, calibration) : parts
}

const parts: Views = [
  [undefined, 'Items'],
  ['figures', 'Figures'],
  ['judges', 'Judges'],
  ['cost', 'Cost'],
  ['what-if', 'What if'],
  ['behaviour', 'Behaviour'],
  ['conditions', 'Conditions'],
]

function RunPart(props: {
  readonly document: RunDocument
  readonly part: string | undefined
  readonly query: URLSearchParams
}): JSX.Element {
  const { document, part, query } = props
  const { run } = document
  switch (part) {
    case undefined:
      return (
        <>
          <Progress document={document} />
          <Evidence document={document} />
          <RunFigures document={document} />
          <Variants document={document} />
          <ItemsTable
            runs={[run.id]}
            revision={document.revision}
            trials={run.counts.run}
            means={scoreMeans(run.scores)}
            isRepeated={run.passAtK.some(({ k }) => k > 1)}
            query={query}
          />
        </>
      )
    case 'figures':
      return <FiguresPart document={document} />
    case 'judges':
      return <JudgesPart run={run.id} query={query} />
    case 'calibration':
      return <CalibrationPart run={run.id} />
    case 'cost':
      return <CostPart run={run.id} />
    case 'behaviour':
      return <BehaviourPart run={run.id} />
    case 'what-if':
      return <WhatIfPart run={run.id} query={query} />
    case 'conditions':
      return <Conditions document={document} />
    default:
      return <p class="empty">A run has no such view.</p>
  }
}

const extras = { journals: 'With journals', changes: 'With changed files' } as const

/**
 * Saves a run, with the other variants of its session, as one HTML file. A report lacks this button: it is the file.
 */
function Share({ run }: { readonly run: string }): JSX.Element | null {
  const isServed = useContext(SourceContext) === server
  const [chosen, setChosen] = useState<readonly string[]>([])
  if (!isServed) return null
  return (
    <details class="menu share">
      <summary class="button">Share</summary>
      <div class="menu-list card share-choice">
        <p>One HTML file that opens without a server.</p>
        {Object.entries(extras).map(([extra, label]) => (
          <label key={extra}>
            <input
              type="checkbox"
              checked={chosen.includes(extra)}
              onChange={() => setChosen(toggled(chosen, extra))}
            />{' '}
            {label}
          </label>
        ))}
        <SaveButton
          label="Save the file"
          saved="Saved. The file contains what agents were asked and what they answered."
          save={() => saveFile(['runs', run, 'report'], new URLSearchParams(chosen.map((extra) => ['with', extra])))}
        />
      </div>
    </details>
  )
}

/**
 * Links that compare a run with the previous one and with its baseline, or what prevents that; and a link to its trend.
 */
function AgainstLinks({ run }: { readonly run: RunDocument['run'] }): JSX.Element {
  const loading = useDocument<AgainstDocument>(['runs', run.id, 'against'])
  const loaded = loading.state === 'loaded' ? loading.document : undefined
  const { before, baseline } = loaded ?? {}
  const isSame =
    before?.state === 'run' && baseline?.state === 'run'
      ? before.id === baseline.id
      : before?.state === 'none' && baseline?.state === 'none' && before.reason === baseline.reason
  const kind = isMeasurement(run.kind) ? run.kind : undefined
  return (
    <nav class="row against small" aria-label="Compare this run">
      <a href={linkTo(['experiments', run.experimentName], { variant: run.variant ?? undefined, kind })}>
        Trend of {run.experimentName}
      </a>
      {loaded === undefined ? null : (
        <>
          <Against name={nameOf(run, isSame)} reference={loaded.before} run={run.id} />
          {isSame ? null : <Against name="Compare with the baseline" reference={loaded.baseline} run={run.id} />}
        </>
      )}
    </nav>
  )
}

function nameOf({ lineage }: RunDocument['run'], isBaseline: boolean): string {
  if (lineage !== null) return 'Compare with the run it was judged from'
  return isBaseline ? 'Compare with the run before, its baseline' : 'Compare with the run before'
}

function Against(props: {
  readonly name: string
  readonly reference: Reference
  readonly run: string
}): JSX.Element | null {
  const { name, reference, run } = props
  if (reference.state === 'none')
    return reference.reason === null ? null : (
      <span class="quiet">
        {name}: none, {reference.reason}
      </span>
    )
  const { id, startedAt, delta, skipped, changes } = reference
  const changed = changes.map(({ what }) => what).join(', ')
  return (
    <span>
      <a href={linkTo(['compare', id, run])}>{name}</a>{' '}
      <span class="quiet">
        {dateAndTime(startedAt)}
        {delta === null ? '' : `, ${points(delta)} points`}
        {changed === '' ? '' : `; changed: ${changed}`}
        {skipped === 0 ? '' : `; ${counted(skipped, 'newer run')} with other conditions left out`}
      </span>
    </span>
  )
}
