import { grouped, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument, VariantRow, VariantsDocument } from '../../src/answers/run.js'
import { IntervalChart } from '../charts.js'
import { useDocument } from '../documents.js'
import { Part } from '../parts.js'
import { linkTo } from '../router.js'
import { type Column, nameColumn, numberColumn, Table } from '../table.js'
import { intervalText } from '../text.js'

/** The variants of the session side by side; nothing for a run without other variants. */
export function Variants({ document: { run, variants } }: { readonly document: RunDocument }): JSX.Element | null {
  const loading = useDocument<VariantsDocument>(['runs', run.id, 'variants'])
  if (variants.length < 2) return null
  const loaded = loading.state === 'loaded' ? loading.document.variants : []
  const rows = variants.map((entry) => loaded.find(({ id }) => id === entry.id) ?? { ...entry, ...notLoaded })
  return (
    <Part title={`Variants of the session ${run.session}`}>
      <p class="small">
        <a href={linkTo(['outputs', ...variants.map(({ id }) => id)])}>Outputs of all variants</a>
      </p>
      <Table label="Variants" columns={columnsFor(run.id)} rows={rows} keyOf={({ id }) => id} />
    </Part>
  )
}

const notLoaded = { passRateInterval: null, costPerTrialUsd: null, agentMedianMs: null } as const

function columnsFor(current: string): readonly Column<VariantRow>[] {
  return [
    nameColumn('Variant', ({ id, variant }) =>
      id === current ? (variant ?? unknown) : <a href={linkTo(['runs', id])}>{variant ?? id}</a>,
    ),
    numberColumn('Passed', ({ counts }) => (
      <>
        {grouped(counts.passes)} <span class="quiet">of {grouped(counts.decided)}</span>
      </>
    )),
    numberColumn('Pass rate', ({ passRate }) => percent(passRate)),
    {
      title: '95 % interval',
      class: 'middle-only',
      width: '18rem',
      cell: ({ variant, passRate, passRateInterval }) => (
        <IntervalChart
          value={passRate}
          interval={passRateInterval}
          label={`${variant}: ${intervalText(passRateInterval)}`}
        />
      ),
    },
    numberColumn('Cost per trial', ({ costPerTrialUsd }) => dollars(costPerTrialUsd), { class: 'wide-only' }),
    numberColumn('Agent, median', ({ agentMedianMs }) => duration(agentMedianMs), { class: 'wide-only' }),
  ]
}
