import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { BallotsDocument } from '../../src/answers/ballots.js'
import { configText } from '../../src/what-if/config-text.js'
import { juriesOf } from '../../src/what-if/juries.js'
import { changedTrials, type WhatIf } from '../../src/what-if/revote.js'
import { settingsFrom } from '../../src/what-if/settings.js'
import { CopyButton } from '../copy-button.js'
import { Loaded, useDocument } from '../documents.js'
import { decidedOutcome, OutcomeMark } from '../marks.js'
import { TrialLink } from '../navigation.js'
import { Figures } from '../parts.js'
import { changeQuery } from '../router.js'
import { nameColumn, Table } from '../table.js'
import { JuryForm } from './jury-form.js'
import { ThresholdCurves } from './threshold-curve.js'

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
