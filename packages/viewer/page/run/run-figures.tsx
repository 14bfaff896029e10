import { suspectsText } from '@jurist/experiment/internal/journal'
import { counted, grouped, trialText } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import type { UnfinishedDocument } from '../../src/files/journals.js'
import { useDocument } from '../documents.js'
import { type Figure, Figures } from '../parts.js'
import { linkTo, trialPath } from '../router.js'
import { intervalText } from '../text.js'

export function RunFigures({
  document: { run, failedByError, scan },
}: {
  readonly document: RunDocument
}): JSX.Element {
  return (
    <Figures
      figures={[
        ...ratesOf(run),
        ...suspectsOf(run, scan),
        ...quarantineFigure(run),
        ...failuresOf(run, failedByError),
        ...userFaultsOf(run),
        ...costOf(run),
        ...tokensOf(run),
        ...timeOf(run),
      ]}
    />
  )
}

type Run = RunDocument['run']

function ratesOf(run: Run): readonly Figure[] {
  const { passRate, passRateInterval, counts } = run
  return [
    {
      name: `Passed ${grouped(counts.passes)} of ${grouped(counts.decided)} decided`,
      value: percent(passRate),
      basis: intervalText(passRateInterval),
    },
    ...rateOfAll(run),
    ...repeatedFigures(run),
  ]
}

/** The rate over all planned trials, if it differs. */
function rateOfAll({ counts, passRateOfAll }: Run): readonly Figure[] {
  if (counts.decided === counts.planned) return []
  const rest = [
    counts.undecided > 0 ? `${grouped(counts.undecided)} undecided` : '',
    counts.notRun > 0 ? `${grouped(counts.notRun)} not run` : '',
  ]
  const name = `Of ${grouped(counts.planned)} planned`
  return [{ name, value: percent(passRateOfAll), basis: rest.filter((text) => text !== '').join(', ') }]
}

/** Trials that count nowhere, and the rate with them. */
function quarantineFigure({ quarantined }: Run): readonly Figure[] {
  if (quarantined === null) return []
  const { trials, passes, decided, passRateWithThem } = quarantined
  const basis = `${grouped(passes)} of ${grouped(decided)} passed; ${percent(passRateWithThem)} with them`
  return [{ name: 'In quarantine', value: counted(trials, 'trial'), basis }]
}

/** Figures of repeated trials, beginning with how many items pass every time. */
function repeatedFigures({ id, passAtK, flakyItems }: Run): readonly Figure[] {
  const largest = passAtK.at(-1)
  if (largest === undefined || largest.k < 2) return []
  const { k, items, passHatK, passAtK: once } = largest
  const basis = `over ${counted(items, 'item')}`
  const flaky = linkTo(['runs', id], { flaky: 'only', sort: 'flakiness', order: 'desc' })
  return [
    { name: `pass^${k}, every time`, value: percent(passHatK), basis },
    { name: `pass@${k}, at least once`, value: percent(once), basis },
    {
      name: 'Flaky items',
      value: grouped(flakyItems.length),
      basis: 'passed and failed',
      ...(flakyItems.length === 0 ? {} : { href: flaky }),
    },
  ]
}

/** The pass rate in which suspect passes count as not passed, beside the other one. */
function suspectsOf({ id }: Run, scan: RunDocument['scan']): readonly Figure[] {
  if (scan === null) return []
  const { notScanned, partlyScanned } = scan.figures
  const unseen = notScanned + partlyScanned
  return [
    {
      name: 'Without suspects',
      value: percent(scan.withoutSuspects.passRate),
      basis: `${suspectsText(scan)}${unseen === 0 ? '' : `; ${counted(unseen, 'trial')} not scanned as a whole`}`,
      href: linkTo(['runs', id, 'figures']),
    },
  ]
}

/** Failures caused by a judge's error, which are no evidence about the agent. */
function failuresOf({ counts }: Run, failedByError: number): readonly Figure[] {
  if (failedByError === 0) return []
  const name = `Failed, of ${grouped(counts.decided)} decided`
  return [{ name, value: grouped(counts.fails), basis: `${grouped(failedByError)} because of errors in judges` }]
}

/** Conversations in which the simulated user made a mistake, which does not affect the verdict. */
function userFaultsOf({ userFaults }: Run): readonly Figure[] {
  if (userFaults === null) return []
  const { trials, atFault, byName } = userFaults
  const kinds = Object.entries(byName).map(([name, count]) => `${grouped(count)} ${name}`)
  return [
    {
      name: `User at fault, of ${grouped(trials)} conversations`,
      value: grouped(atFault),
      basis: kinds.length === 0 ? 'no mistake was found' : kinds.join(', '),
    },
  ]
}

function costOf({ id, costUsd, judgeCostUsd, unpricedTrials }: Run): readonly Figure[] {
  if (costUsd === null && judgeCostUsd === null) return []
  const unpriced = unpricedTrials > 0 ? `, ${grouped(unpricedTrials)} unpriced` : ''
  return [
    {
      name: 'Cost',
      value: dollars((costUsd ?? 0) + (judgeCostUsd ?? 0)),
      href: linkTo(['runs', id, 'cost']),
      basis: `agents ${dollars(costUsd)}, judges ${dollars(judgeCostUsd)}${unpriced}`,
    },
  ]
}

function tokensOf({ usage }: Run): readonly Figure[] {
  const { inputTokens, outputTokens, cacheReadTokens } = usage ?? {}
  if (inputTokens === undefined) return []
  const cached =
    cacheReadTokens === undefined || inputTokens === 0 ? '' : `, ${percent(cacheReadTokens / inputTokens)} cached`
  const basis = outputTokens === undefined ? '' : `${grouped(outputTokens)} out${cached}`
  return [{ name: 'Tokens in', value: grouped(inputTokens), basis, isMinor: true }]
}

function timeOf({ agentMs, durationMs }: Run): readonly Figure[] {
  if (agentMs === null) return []
  const basis = `p95 ${duration(agentMs.p95)}, ${duration(durationMs)} in total`
  return [{ name: 'Agent, median', value: duration(agentMs.median), basis, isMinor: true }]
}

/** The progress of a running run, and the time that is left at its current pace. */
export function Progress({ document: { run } }: { readonly document: RunDocument }): JSX.Element | null {
  if (run.status !== 'running') return null
  const { planned, run: ended } = run.counts
  const elapsedMs = Math.max(0, Date.now() - Date.parse(run.startedAt))
  const left = ended === 0 ? undefined : (elapsedMs / ended) * Math.max(0, planned - ended)
  return (
    <div class="row progress">
      <progress max={planned} value={ended} aria-label="Trials that have ended" />
      <span>
        {grouped(ended)} of {grouped(planned)} trials
        <span class="quiet">
          , {duration(elapsedMs)} so far{left === undefined ? '' : `, about ${duration(left)} left`}
        </span>
      </span>
    </div>
  )
}

/** The evidence of a run that stops when it is decided, against the line where it stops. */
export function Evidence({ document: { sequential } }: { readonly document: RunDocument }): JSX.Element | null {
  if (sequential === null) return null
  const { items, planned, evidence, line, lines } = sequential
  const [head, ...others] = lines
  // Evidence multiplies, so equal steps are equal factors.
  const share = evidence === null ? 1 : Math.max(0, Math.min(1, Math.log(Math.max(1, evidence)) / Math.log(line)))
  const value =
    evidence === null
      ? 'settled by counting'
      : `${evidence.toPrecision(2)} to 1 of the ${Math.round(line)} that a stop needs`
  return (
    <div class="evidence">
      <p class="note">{head}</p>
      <div class="row progress">
        <progress max={1} value={share} aria-label="Evidence against the line where the run stops" />
        <span>
          Evidence {value}{' '}
          <span class="quiet">
            after {grouped(items)} of {grouped(planned)} items
          </span>
        </span>
      </div>
      {others.map((sentence) => (
        <p class="quiet small" key={sentence}>
          {sentence}
        </p>
      ))}
    </div>
  )
}

/** A longer list would fill the page. */
const mostNamed = 12

const everySecond = () => 1_000

/** Links to the trials that are running. Their journals can be read already. */
export function UnfinishedTrials({ run }: { readonly run: string }): JSX.Element | null {
  const loading = useDocument<UnfinishedDocument>(['runs', run, 'unfinished'], undefined, everySecond)
  const trials = loading.state === 'loaded' ? loading.document.trials : []
  return (
    <p class="row running-now small">
      <span class="quiet">{trials.length === 0 ? 'No running trial has recorded anything yet.' : 'Running now:'}</span>
      {trials.slice(0, mostNamed).map(({ itemId, repetition, worker }) => (
        <span key={`${itemId} ${repetition}`}>
          <a href={linkTo(trialPath({ run, itemId, repetition }, 'journal'))}>{trialText({ itemId, repetition })}</a>
          {worker && <span class="quiet"> on {worker}</span>}
        </span>
      ))}
      {trials.length > mostNamed ? <span class="quiet">and {trials.length - mostNamed} more</span> : null}
    </p>
  )
}
