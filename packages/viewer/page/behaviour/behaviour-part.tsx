import type { JSX } from 'preact'
import type { BehaviourDocument } from '../../src/files/behaviour.js'
import { count, percent } from '../amounts.js'
import { Figures } from '../figures.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { Loops } from './loops.js'
import { Transitions } from './transitions.js'

/** How agents went about their tasks: from what to what, how far from the end, and where they went in circles. */
export function BehaviourPart({ run }: { readonly run: string }): JSX.Element {
  const loading = useDocument<BehaviourDocument>(['runs', run, 'behaviour'])
  return (
    <State of={loading} missing="A report of one file holds no journals. Look at the store: jurist view">
      {(behaviour) =>
        behaviour.state === 'unknown' ? (
          <p class="empty">{behaviour.reason}</p>
        ) : (
          <Behaviour behaviour={behaviour} run={run} />
        )
      }
    </State>
  )
}

function Behaviour({
  behaviour: { model, figures, loops, total },
  run,
}: {
  readonly behaviour: Extract<BehaviourDocument, { readonly state: 'read' }>
  readonly run: string
}): JSX.Element {
  const { toolCalls, toolErrors, fixCycles, redundantReads, looped } = figures
  const each = (sum: number) => (sum / model.runs).toFixed(1)
  return (
    <>
      <Figures
        figures={[
          { name: 'Journals read', value: count(model.runs), basis: `of ${count(total)} trials` },
          { name: 'Tool calls', value: each(toolCalls), basis: 'a trial' },
          {
            name: 'Failed calls',
            value: percent(toolCalls === 0 ? null : toolErrors / toolCalls),
            basis: count(toolErrors),
          },
          { name: 'Trials with a loop', value: count(looped), basis: percent(looped / model.runs) },
          { name: 'Mended after a failure', value: each(fixCycles), basis: 'a trial' },
          { name: 'Read again unchanged', value: each(redundantReads), basis: 'files a trial' },
        ]}
      />
      <Transitions model={model} />
      <Loops loops={loops} run={run} />
    </>
  )
}
