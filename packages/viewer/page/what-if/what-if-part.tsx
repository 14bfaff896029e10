import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { BallotsDocument } from '../../src/answers/ballots.js'
import { changedTrials, type WhatIf } from '../../src/what-if/changed-trials.js'
import { juriesOf, settingsFrom } from '../../src/what-if/settings.js'
import { changeQuery } from '../place.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { Changed } from './changed.js'
import { JuryForm } from './jury-form.js'

/** Other votes, thresholds, weights and policies, tried on what the judges said. */
export function WhatIfPart({ run, query }: { readonly run: string; readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<BallotsDocument>(['runs', run, 'ballots'])
  return (
    <>
      <p class="quiet" style={{ maxWidth: '72ch', marginBottom: '1.2rem' }}>
        The judges said what they said; here they are counted otherwise. Nothing is stored, no judge is asked again, and
        the address keeps what you set.
      </p>
      <State of={loading}>{(ballots) => <Tried ballots={ballots} run={run} query={query} />}</State>
    </>
  )
}

interface Given {
  readonly ballots: BallotsDocument
  readonly run: string
  readonly query: URLSearchParams
}

function Tried({ ballots, run, query }: Given): JSX.Element {
  const juries = useMemo(() => juriesOf(ballots), [ballots])
  const settings = useMemo(() => settingsFrom(query), [query])
  const { found, problem } = useWhatIf(ballots, query.toString())
  if (juries.length === 0) return <p class="empty">No trial of this run was judged.</p>
  return (
    <>
      <div class="forms">
        {juries.map((jury) => (
          <JuryForm jury={jury} settings={settings.get(jury.name) ?? {}} key={jury.name} />
        ))}
      </div>
      {settings.size === 0 ? null : (
        <p style={{ marginTop: '0.9rem' }}>
          <button
            type="button"
            onClick={() => changeQuery(Object.fromEntries([...query.keys()].map((name) => [name, undefined])))}
          >
            As it was
          </button>
        </p>
      )}
      {problem === undefined ? null : (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <Changed found={found} ballots={ballots} run={run} isTouched={settings.size > 0} />
    </>
  )
}

interface Answer {
  readonly found?: WhatIf
  /** Such as weights that are all zero. */
  readonly problem?: string
}

/** The last answer stays until the next one is there. */
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
