import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { BallotsDocument } from '../../src/answers/ballots.js'
import { configText } from '../../src/what-if/config-text.js'
import {
  type CurvePoint,
  changedTrials,
  mostVerdicts,
  thresholdCurve,
  thresholdJuries,
  type WhatIf,
} from '../../src/what-if/revote.js'
import { juriesOf, settingsFrom } from '../../src/what-if/settings.js'
import { linear, linePath, Ticks } from '../charts.js'
import { CopyButton } from '../copy-button.js'
import { Loaded, useDocument } from '../documents.js'
import { decidedOutcome, OutcomeMark } from '../marks.js'
import { TrialLink } from '../navigation.js'
import { Figures, Part } from '../parts.js'
import { changeQuery } from '../router.js'
import { nameColumn, Table } from '../table.js'
import { JuryForm } from './jury-form.js'

/** How many changed trials are listed at most. The figure above counts all of them. */
const maxListed = 500

/** Applies other votes, thresholds, weights and policies to the stored judgments. */
export function WhatIfPart({ run, query }: { readonly run: string; readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<BallotsDocument>(['runs', run, 'ballots'])
  return (
    <>
      <p class="quiet" style={{ maxWidth: '72ch', marginBottom: '1.2rem' }}>
        Counts the stored judgments in another way. No judge runs again, nothing is stored, and the address keeps your
        settings.
      </p>
      <Loaded of={loading}>{(ballots) => <Settings ballots={ballots} run={run} query={query} />}</Loaded>
    </>
  )
}

interface SettingsProps {
  readonly ballots: BallotsDocument
  readonly run: string
  readonly query: URLSearchParams
}

function Settings({ ballots, run, query }: SettingsProps): JSX.Element {
  const juries = useMemo(() => juriesOf(ballots), [ballots])
  const settings = useMemo(() => settingsFrom(query), [query])
  const { found, problem } = useWhatIf(ballots, query.toString())
  const config = settings.size === 0 ? undefined : configText(juries, settings)
  if (juries.length === 0) return <p class="empty">No trial of this run was judged.</p>
  return (
    <>
      <div class="forms">
        {juries.map((jury) => (
          <JuryForm jury={jury} settings={settings.get(jury.name) ?? {}} key={jury.name} />
        ))}
      </div>
      {settings.size === 0 ? null : (
        <p class="row tools" style={{ marginTop: '0.9rem' }}>
          <button
            type="button"
            onClick={() => changeQuery(Object.fromEntries([...query.keys()].map((name) => [name, undefined])))}
          >
            Reset
          </button>
          {config === undefined ? null : (
            <>
              <CopyButton text={config.yaml} label="Copy the settings for a config in YAML">
                Copy as YAML
              </CopyButton>
              <CopyButton text={config.typescript} label="Copy the settings for a config in TypeScript">
                Copy as TypeScript
              </CopyButton>
            </>
          )}
        </p>
      )}
      {problem === undefined ? null : (
        <p class="note fail" role="alert">
          {problem}
        </p>
      )}
      <ThresholdCurves ballots={ballots} query={query.toString()} />
      <Outcome found={found} ballots={ballots} run={run} isChanged={settings.size > 0} />
    </>
  )
}

interface Answer {
  readonly found?: WhatIf
  /** The reason why the votes cannot be counted, such as weights that are all zero. */
  readonly problem?: string
}

/** Counts the votes again. The last answer stays until the next one is ready. */
function useWhatIf(ballots: BallotsDocument, query: string): Answer {
  const [answer, setAnswer] = useState<Answer>({})
  useEffect(() => {
    const stop = new AbortController()
    changedTrials(ballots, settingsFrom(new URLSearchParams(query)), stop.signal).then(
      (found) => stop.signal.aborted || setAnswer({ found }),
      (thrown: unknown) => stop.signal.aborted || setAnswer({ problem: String(thrown) }),
    )
    return () => stop.abort()
  }, [ballots, query])
  return answer
}

/** The pass rate with the new settings, and the trials whose outcome changes. */
function Outcome(props: {
  readonly found: WhatIf | undefined
  readonly ballots: BallotsDocument
  readonly run: string
  readonly isChanged: boolean
}): JSX.Element {
  const { trials } = props.ballots
  const { found, run, isChanged } = props
  const decided = trials.filter(({ passed }) => passed !== null).length
  const passes = trials.filter(({ passed }) => passed === true).length
  const { changed = [], passes: newPasses = passes, decided: newDecided = decided, unknown = 0 } = found ?? {}
  const figure = (name: string, passed: number, of: number) => ({
    name,
    value: percent(of === 0 ? null : passed / of),
    basis: `${grouped(passed)} of ${grouped(of)}`,
  })
  return (
    <section class="part" aria-live="polite">
      <Figures
        figures={[
          figure('Pass rate, stored', passes, decided),
          figure('Pass rate, new', newPasses, newDecided),
          { name: 'Trials that change', value: grouped(changed.length), basis: `of ${grouped(trials.length)}` },
          { name: 'Unknown', value: grouped(unknown), basis: 'need a tier or an option that is not stored' },
        ]}
      />
      {changed.length === 0 ? (
        <p class="empty">{isChanged ? 'No outcome changes.' : 'Change a setting to see its effect.'}</p>
      ) : (
        <Table
          label="Trials that change"
          caption={`Trials whose outcome changes${changed.length > maxListed ? `, the first ${maxListed} of ${grouped(changed.length)}` : ''}`}
          rows={changed.slice(0, maxListed)}
          keyOf={({ itemId, repetition }) => `${itemId} ${repetition}`}
          columns={[
            nameColumn<WhatIf['changed'][number]>('Item', ({ itemId, repetition }) => (
              <TrialLink trial={{ run, itemId, repetition }} />
            )),
            { title: 'Stored', cell: ({ from }) => <OutcomeMark outcome={decidedOutcome(from)} /> },
            {
              title: 'New',
              cell: ({ to }) => (to === 'unknown' ? <span class="quiet">unknown</span> : <OutcomeMark outcome={to} />),
            },
          ]}
        />
      )}
    </section>
  )
}

const [width, height, foot] = [420, 130, 16]

const [x, y] = [linear([0, 1], [4, width - 4]), linear([0, 1], [height - foot - 4, 6])]

function ThresholdCurves(props: { readonly ballots: BallotsDocument; readonly query: string }): JSX.Element | null {
  const { ballots, query } = props
  const names = thresholdJuries(ballots, settingsFrom(new URLSearchParams(query)))
  if (names.length === 0) return null
  return (
    <Part title="Pass rate over threshold">
      {ballots.verdicts.length > mostVerdicts ? (
        <p class="quiet">
          This run has {grouped(ballots.verdicts.length)} different verdicts. The curve is drawn up to{' '}
          {grouped(mostVerdicts)}.
        </p>
      ) : (
        <div class="small-charts">
          {names.map((name) => (
            <Curve ballots={ballots} query={query} jury={name} key={name} />
          ))}
        </div>
      )}
    </Part>
  )
}

function Curve(props: {
  readonly ballots: BallotsDocument
  readonly query: string
  readonly jury: string
}): JSX.Element {
  const { ballots, query, jury } = props
  const [points, setPoints] = useState<readonly CurvePoint[]>([])
  useEffect(() => {
    const stop = new AbortController()
    thresholdCurve(ballots, settingsFrom(new URLSearchParams(query)), jury, stop.signal).then(
      (found) => stop.signal.aborted || setPoints(found),
      () => undefined,
    )
    return () => stop.abort()
  }, [ballots, query, jury])
  const label = `Pass rate of ${jury === '' ? 'the jury' : jury} over its threshold: ${textOf(points)}`
  return (
    <figure>
      <figcaption>
        {jury === '' ? 'The jury' : jury} <span class="quiet small">{rangeText(points)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
        <Ticks ticks={[0, 0.5, 1]} at={y} across={[4, width - 4]} />
        <path class="whisker" fill="none" d={linePath(points.map((point) => [x(point.threshold), y(rateOf(point))]))} />
        {points.map((point) => (
          <circle class="dot" key={point.threshold} cx={x(point.threshold)} cy={y(rateOf(point))} r="2.5">
            <title>
              {percent(rateOf(point))} of {grouped(point.decided)} at {point.threshold}
            </title>
          </circle>
        ))}
        <Ticks ticks={[0, 0.5, 1]} at={x} below={height - 3} isInside />
      </svg>
    </figure>
  )
}

/** The rate of the decided trials; 0 without any. */
function rateOf({ passes, decided }: CurvePoint): number {
  return decided === 0 ? 0 : passes / decided
}

function rangeText(points: readonly CurvePoint[]): string {
  const [first, last] = [points[0], points.at(-1)]
  return first === undefined || last === undefined
    ? ''
    : `${percent(rateOf(first))} at 0, ${percent(rateOf(last))} at 1`
}

function textOf(points: readonly CurvePoint[]): string {
  return points
    .filter((_, index) => index % 4 === 0)
    .map((point) => `${percent(rateOf(point))} at ${point.threshold}`)
    .join(', ')
}
