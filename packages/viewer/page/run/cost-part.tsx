import { counted, grouped } from '@jurist/experiment/internal/results'
import { dollars, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { CostDocument, CostRow, CostSplit } from '../../src/answers/cost.js'
import { Loaded, useDocument } from '../documents.js'
import { TablePart } from '../parts.js'
import { linkTo } from '../router.js'
import { type Column, nameColumn, numberColumn } from '../table.js'

/** Where the money of a run went. Every row opens its trials, the dearest first. */
export function CostPart({ run }: { readonly run: string }): JSX.Element {
  const loading = useDocument<CostDocument>(['runs', run, 'cost'])
  return (
    <Loaded of={loading}>
      {({ costUsd, splits }) => (
        <>
          <p class="quiet small part">
            {costUsd === null
              ? 'No cost was declared: set prices of models, or let the agent report what it spent. '
              : ''}
            Each table splits the same {costUsd === null ? 'trials' : dollars(costUsd)}, but that of the variants. The
            call of a judge counts for its judge, its tier, its model and its phase.
          </p>
          <div class="columns">
            {splits.map(({ by, rows, total }) => (
              <TablePart
                key={by}
                title={titles[by]}
                rows={rows}
                keyOf={({ name, run: variant }) => `${name} ${variant ?? ''}`}
                columns={columnsFor(by, run, costUsd)}
                isLow
              >
                {rows.length < total ? (
                  <p class="quiet small">
                    The first {grouped(rows.length)} of {grouped(total)}.
                  </p>
                ) : null}
              </TablePart>
            ))}
          </div>
        </>
      )}
    </Loaded>
  )
}

const titles: Readonly<Record<CostSplit, string>> = {
  variant: 'By variant',
  item: 'By item',
  judge: 'By judge',
  tier: 'By tier',
  model: 'By model',
  phase: 'By phase',
  tool: 'Calls of tools',
}

function columnsFor(by: CostSplit, run: string, whole: number | null): readonly Column<CostRow>[] {
  const link = ({ name, run: variant }: CostRow) =>
    variant === undefined
      ? linkTo(['runs', run], { spent: `${by}:${name}`, sort: 'cost', order: 'desc' })
      : linkTo(['runs', variant, 'cost'])
  const share = ({ costUsd }: CostRow) => (costUsd === null || whole === null || whole === 0 ? null : costUsd / whole)
  const amounts: readonly Column<CostRow>[] = [
    numberColumn('Cost', ({ costUsd }) => dollars(costUsd)),
    ...(by === 'variant' ? [] : [numberColumn<CostRow>('Share', (row) => percent(share(row)))]),
    numberColumn('Tokens', ({ tokens }) => grouped(tokens ?? undefined), { class: 'wide-only' }),
  ]
  return [
    nameColumn('Name', (row) => <a href={link(row)}>{row.name}</a>),
    ...(by === 'tool' ? [] : amounts),
    numberColumn('Times', ({ times }) => grouped(times), { class: 'middle-only' }),
    numberColumn('In', ({ trials }) => counted(trials, 'trial')),
  ]
}
