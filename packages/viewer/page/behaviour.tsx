import { grouped, unknown } from '@jurist/experiment/internal/results'
import type { TransitionModel } from '@jurist/experiment/journal'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { BehaviourDocument, LoopedTrial } from '../src/files/behaviour.js'
import { shade } from './charts.js'
import { Loaded, useDocument } from './documents.js'
import { OutcomeMark } from './marks.js'
import { TrialLink } from './navigation.js'
import { Figures, Part, TablePart } from './parts.js'
import { type Column, nameColumn, numberColumn, Table } from './table.js'

export function BehaviourPart({ run }: { readonly run: string }): JSX.Element {
  const loading = useDocument<BehaviourDocument>(['runs', run, 'behaviour'])
  return (
    <Loaded of={loading} missing="A static report does not contain journals. Use the store: jurist view">
      {(behaviour) =>
        behaviour.state === 'unknown' ? (
          <p class="empty">{behaviour.reason}</p>
        ) : (
          <>
            <BehaviourFigures behaviour={behaviour} />
            <Transitions model={behaviour.model} />
            <Endings model={behaviour.model} />
            <Loops loops={behaviour.loops} run={run} />
          </>
        )
      }
    </Loaded>
  )
}

type Read = Extract<BehaviourDocument, { readonly state: 'read' }>

function BehaviourFigures({ behaviour: { model, figures, total } }: { readonly behaviour: Read }): JSX.Element {
  const { toolCalls, toolErrors, fixCycles, redundantReads, looped } = figures
  const perTrial = (sum: number) => (sum / model.runs).toFixed(1)
  return (
    <Figures
      figures={[
        { name: 'Journals read', value: grouped(model.runs), basis: `of ${grouped(total)} trials` },
        { name: 'Tool calls', value: perTrial(toolCalls), basis: 'per trial' },
        {
          name: 'Failed calls',
          value: percent(toolCalls === 0 ? null : toolErrors / toolCalls),
          basis: grouped(toolErrors),
        },
        { name: 'Trials with a loop', value: grouped(looped), basis: percent(looped / model.runs) },
        { name: 'Fixed after a failure', value: perTrial(fixCycles), basis: 'per trial' },
        { name: 'Unchanged files read again', value: perTrial(redundantReads), basis: 'per trial' },
      ]}
    />
  )
}

/** The share of each action that follows an action. */
function Transitions({ model: { states, absorbing, matrix } }: { readonly model: TransitionModel }): JSX.Element {
  const targets = [...states, ...absorbing]
  const shareOf = (state: string, column: number) => matrix[states.indexOf(state)]?.[column] ?? 0
  const columns: readonly Column<string>[] = [
    nameColumn('After', (state) => state),
    ...targets.map((name, column) =>
      numberColumn<string>(
        absorbing.includes(name) ? `end: ${name}` : name,
        (state) => {
          const share = shareOf(state, column)
          return share === 0 ? <span class="quiet">{unknown}</span> : percent(share)
        },
        { background: (state) => shade('accent', shareOf(state, column)) },
      ),
    ),
  ]
  return (
    <TablePart title="What follows what" look="grid" columns={columns} rows={states} keyOf={(state) => state}>
      <p class="quiet small">The share of each action (columns) among the actions that follow another one (rows).</p>
    </TablePart>
  )
}

function Endings({ model }: { readonly model: TransitionModel }): JSX.Element {
  const { states, absorbing, expectedSteps, absorption } = model
  const columns: readonly Column<string>[] = [
    nameColumn('After', (state) => state),
    numberColumn('Calls to the end', (state) => expectedSteps[state]?.toFixed(1) ?? unknown),
    ...absorbing.map((end) =>
      numberColumn<string>(end, (state) => percent(absorption[state]?.[end]), {
        background: (state) => shade('accent', absorption[state]?.[end] ?? 0),
      }),
    ),
  ]
  return <TablePart title="How trials end" look="grid" columns={columns} rows={states} keyOf={(state) => state} />
}

function Loops({ loops, run }: { readonly loops: readonly LoopedTrial[]; readonly run: string }): JSX.Element {
  return (
    <Part title="Loops">
      {loops.length === 0 ? (
        <p class="empty">No agent repeated the same actions three times in a row.</p>
      ) : (
        <>
          <p class="quiet small">
            An agent that repeats what fails lacks something. Open a loop at its first action, and put what is missing
            into the task, the knowledge or the tools.
          </p>
          <Table
            label="Loops"
            isLow
            rows={loops}
            keyOf={({ itemId, repetition }) => `${itemId} ${repetition}`}
            columns={[
              nameColumn<LoopedTrial>('Item', (trial) => <TrialLink trial={{ run, ...trial }} part="journal" />),
              { title: 'Outcome', cell: ({ outcome }) => <OutcomeMark outcome={outcome} /> },
              {
                title: 'Repeated actions',
                cell: (trial) =>
                  trial.loops
                    .map(({ pattern, repeats, kind }) => `${pattern.join(', ')} × ${repeats} (${kind})`)
                    .join('; '),
              },
            ]}
          />
        </>
      )}
    </Part>
  )
}
