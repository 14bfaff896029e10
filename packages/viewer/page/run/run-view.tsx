import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import { instant } from '../amounts.js'
import { BehaviourPart } from '../behaviour/behaviour-part.js'
import { CalibrationPart } from '../calibration/calibration-part.js'
import { Crumbs } from '../crumbs.js'
import { Nothing } from '../nothing.js'
import { linkTo } from '../place.js'
import { nameOf } from '../run-name.js'
import { RunStatusWord } from '../run-status.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { Tabs } from '../tabs.js'
import { Warnings } from '../warnings.js'
import { WhatIfPart } from '../what-if/what-if-part.js'
import { Conditions } from './conditions.js'
import { ItemsTable } from './items-table.js'
import { RunFigures } from './run-figures.js'
import { Variants } from './variants.js'

/** A running run is followed. */
const whileRunning = ({ run }: RunDocument) => (run.status === 'running' ? 1_000 : undefined)

/** One run: its figures, and below them one of its views. */
export function RunView({
  id,
  part,
  query,
}: {
  readonly id: string
  readonly part: string | undefined
  readonly query: URLSearchParams
}): JSX.Element {
  const loading = useDocument<RunDocument>(['runs', id], undefined, whileRunning)
  return (
    <State of={loading} missing={<Nothing text={`This store has no run ${id}.`} />}>
      {(document) => (
        <>
          <RunHead document={document} />
          <Warnings warnings={document.warnings} />
          <Tabs label="Views of this run" tabs={tabsOf(document, part)} />
          <RunPart document={document} part={part} query={query} />
        </>
      )}
    </State>
  )
}

function RunHead({ document: { run } }: { readonly document: RunDocument }): JSX.Element {
  const { experimentName, variant } = run
  return (
    <>
      <Crumbs way={[{ name: 'Runs', href: '#/' }, { name: nameOf(experimentName, variant) }]} />
      <div class="head">
        <h1>{experimentName}</h1>
        {variant === null ? null : <span class="tag">{variant}</span>}
        <RunStatusWord status={run.status} />
      </div>
      <div class="facts-line">
        <span class="code">{run.id}</span>
        <span>{instant(run.startedAt)}</span>
        <span>
          {run.dataset.name} {run.dataset.version}
        </span>
        {run.code.gitCommit === null ? null : (
          <span class="code">
            {run.code.gitCommit.slice(0, 10)}
            {run.code.dirty ? ', changed' : ''}
          </span>
        )}
        {run.lineage === null ? null : (
          <a href={linkTo(['runs', run.lineage.rejudgedFrom])}>judged again from {run.lineage.rejudgedFrom}</a>
        )}
      </div>
    </>
  )
}

const parts: readonly (readonly [part: string | undefined, name: string])[] = [
  [undefined, 'Items'],
  ['calibration', 'Calibration'],
  ['what-if', 'What if'],
  ['behaviour', 'Behaviour'],
  ['conditions', 'Conditions'],
]

function tabsOf({ run }: RunDocument, here: string | undefined) {
  const other = run.kind === 'judge' ? 'behaviour' : 'calibration'
  const fitting = parts.filter(([part]) => part !== other)
  return fitting.map(([part, name]) => ({
    name,
    href: linkTo(part === undefined ? ['runs', run.id] : ['runs', run.id, part]),
    isHere: part === here,
  }))
}

function RunPart({
  document,
  part,
  query,
}: {
  readonly document: RunDocument
  readonly part: string | undefined
  readonly query: URLSearchParams
}): JSX.Element {
  switch (part) {
    case undefined:
      return (
        <>
          <RunFigures document={document} />
          <Variants document={document} />
          <ItemsTable document={document} query={query} />
        </>
      )
    case 'calibration':
      return <CalibrationPart run={document.run.id} />
    case 'behaviour':
      return <BehaviourPart run={document.run.id} />
    case 'what-if':
      return <WhatIfPart run={document.run.id} query={query} />
    case 'conditions':
      return <Conditions document={document} />
    default:
      return <p class="empty">There is no such view of a run.</p>
  }
}
