import { notSeen, suspectsText } from '@jurist/experiment/internal/journal'
import { counted, grouped, three, trialText } from '@jurist/experiment/internal/results'
import { percent, type Summary, score } from '@jurist/experiment/result'
import { Fragment, type JSX } from 'preact'
import type { NetworkDocument } from '../../src/answers/answer.js'
import type { ReasonGroup, ReasonsDocument, RunDocument } from '../../src/answers/run.js'
import { Loaded, useDocument } from '../documents.js'
import { OutcomeMark } from '../marks.js'
import { Part, TablePart } from '../parts.js'
import { linkTo, trialPath } from '../router.js'
import { type Column, nameColumn, numberColumn, Table } from '../table.js'
import { plainText } from '../text.js'

/**
 * All figures of a run as tables: why trials did not pass, scores, efficiency, buckets, and pass@k of repeated trials.
 */
export function FiguresPart({ document: { run, scan } }: { readonly document: RunDocument }): JSX.Element {
  const { scores, efficiency, byBucket, passAtK } = run
  const buckets = Object.entries(byBucket)
  const reasons = useDocument<ReasonsDocument>(['runs', run.id, 'reasons'])
  return (
    <Loaded of={reasons}>
      {({ groups, total }) => (
        <>
          <Part title="Why trials did not pass">
            {total === 0 ? <p class="quiet">All trials passed.</p> : null}
            {total > groups.length ? <p class="quiet small">The largest of {grouped(total)} groups.</p> : null}
            {total === 0 ? null : (
              <Table
                label="Why trials did not pass"
                rows={groups}
                keyOf={({ outcome, reason }) => outcome + reason}
                columns={reasonColumns(run.id)}
              />
            )}
          </Part>
          {Array.isArray(run.conditions['network']) ? <Network run={run.id} /> : null}
          {scan === null ? null : <ScanTable run={run.id} scan={scan} />}
          <Scores title="Scores" scores={scores} />
          <Scores title="Efficiency" scores={efficiency} />
          {buckets.length < 2 ? null : (
            <TablePart title="Buckets" rows={buckets} keyOf={([bucket]) => bucket} columns={bucketColumns} />
          )}
          {passAtK.some(({ k }) => k > 1) ? <Repeated passAtK={passAtK} /> : null}
        </>
      )}
    </Loaded>
  )
}

const mostTrials = 20

/** The hosts that the commands of a run asked for, and the trials that asked for one that is not on its list. */
function Network({ run }: { readonly run: string }): JSX.Element | null {
  const loading = useDocument<NetworkDocument>(['runs', run, 'network'])
  if (loading.state !== 'loaded' || loading.document.network === null) return null
  const { hosts, asked, refusedIn, trials } = loading.document.network
  return (
    <Part title="Network">
      <p>Allowed: {hosts.length === 0 ? 'no host' : hosts.join(', ')}.</p>
      {asked.length === 0 ? (
        <p class="quiet">Nothing was asked for.</p>
      ) : (
        <Table label="Network" rows={asked} keyOf={({ host }) => host} columns={hostColumns} />
      )}
      <p>
        {grouped(refusedIn.length)} of {counted(trials, 'trial')} with refused attempts
        {refusedIn.slice(0, mostTrials).map((name, index) => (
          <Fragment key={name}>
            {index === 0 ? ': ' : ', '}
            <TrialOf run={run} name={name} />
          </Fragment>
        ))}
        {refusedIn.length > mostTrials ? ` and ${grouped(refusedIn.length - mostTrials)} more` : ''}
      </p>
    </Part>
  )
}

function TrialOf({ run, name }: { readonly run: string; readonly name: string }): JSX.Element {
  const at = name.lastIndexOf('#')
  const trial = { run, itemId: name.slice(0, at), repetition: name.slice(at + 1) }
  return <a href={linkTo(trialPath(trial))}>{name}</a>
}

const hostColumns: readonly Column<{
  readonly host: string
  readonly allowed: number
  readonly refused: number
}>[] = [
  nameColumn('Host', ({ host }) => plainText(host)),
  numberColumn('Allowed', ({ allowed }) => grouped(allowed)),
  numberColumn('Refused', ({ refused }) => grouped(refused)),
]

/** The findings of each rule of a scan, and the parts that the scan could not see. */
function ScanTable(props: { readonly run: string; readonly scan: NonNullable<RunDocument['scan']> }): JSX.Element {
  const { run, scan } = props
  const { rules, errors, passRate, withoutSuspects } = scan
  return (
    <Part title="Scan">
      <p>
        Pass rate {percent(passRate)}; without suspects {percent(withoutSuspects.passRate)}: {suspectsText(scan)}.
      </p>
      {Object.entries(errors).map(([rule, message]) => (
        <p key={rule}>
          The rule {rule} failed, so the absence of its findings means nothing: {plainText(message)}
        </p>
      ))}
      {rules.length === 0 ? (
        <p class="quiet">Nothing was found.</p>
      ) : (
        <Table label="Scan" rows={rules} keyOf={({ rule }) => rule} columns={scanColumns(run)} />
      )}
      <p class="quiet small">Not seen: {notSeen(scan).join('; ')}.</p>
    </Part>
  )
}

function scanColumns(run: string): readonly Column<NonNullable<RunDocument['scan']>['rules'][number]>[] {
  return [
    nameColumn('Rule', ({ rule }) => <a href={linkTo(['runs', run], { finding: rule })}>{rule}</a>),
    { title: 'Level', cell: ({ level }) => level },
    numberColumn('Passes', ({ passes }) => grouped(passes)),
    numberColumn('Failed', ({ failed }) => grouped(failed)),
    { title: 'For example', cell: ({ example }) => <span class="code">{plainText(example)}</span> },
  ]
}

function Repeated({ passAtK }: Pick<RunDocument['run'], 'passAtK'>): JSX.Element {
  return (
    <TablePart title="Repeated trials" rows={passAtK} keyOf={({ k }) => String(k)} columns={repeatedColumns}>
      <p class="quiet small">
        pass@k: at least one of k trials passes. pass^k: all of them pass. Over the items with at least k decided
        trials.
      </p>
    </TablePart>
  )
}

function reasonColumns(run: string): readonly Column<ReasonGroup>[] {
  return [
    nameColumn('Reason', ({ reason }) => reason),
    { title: 'Outcome', cell: ({ outcome }) => <OutcomeMark outcome={outcome} /> },
    numberColumn('Trials', ({ count, first }) => (
      <a
        href={
          count === 1
            ? linkTo(trialPath({ run, ...first }))
            : linkTo(['runs', run], { alike: trialText(first), by: 'trial' })
        }
      >
        {grouped(count)}
      </a>
    )),
  ]
}

function Scores({ title, scores }: { readonly title: string; readonly scores: Summary['scores'] }): JSX.Element | null {
  const rows = Object.entries(scores)
  return rows.length === 0 ? null : (
    <TablePart title={title} rows={rows} keyOf={([name]) => name} columns={scoreColumns} />
  )
}

const scoreColumns: readonly Column<[string, Summary['scores'][string]]>[] = [
  nameColumn('Name', ([name]) => name),
  numberColumn('Mean', ([, { mean }]) => three(mean)),
  numberColumn('± SE', ([, { standardError }]) => three(standardError)),
  numberColumn('Min', ([, { min }]) => score(min)),
  numberColumn('Max', ([, { max }]) => score(max)),
  numberColumn('n', ([, { n }]) => grouped(n)),
  numberColumn('Missing', ([, { missing }]) => grouped(missing)),
]

const bucketColumns: readonly Column<[string, RunDocument['run']['byBucket'][string]]>[] = [
  nameColumn('Bucket', ([bucket]) => (bucket === '' ? '(none)' : bucket)),
  numberColumn('Pass rate', ([, { passRate }]) => percent(passRate)),
  numberColumn('Passed', ([, { counts }]) => `${grouped(counts.passes)} of ${grouped(counts.decided)}`),
  numberColumn('Undecided', ([, { counts }]) => grouped(counts.undecided)),
]

const repeatedColumns: readonly Column<RunDocument['run']['passAtK'][number]>[] = [
  nameColumn('k', ({ k }) => String(k)),
  numberColumn('pass@k', ({ passAtK }) => percent(passAtK)),
  numberColumn('pass^k', ({ passHatK }) => percent(passHatK)),
  numberColumn('Items', ({ items }) => counted(items, 'item')),
]
