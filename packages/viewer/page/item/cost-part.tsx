import { flatten, type Usage } from '@jurist/core'
import { grouped } from '@jurist/experiment/internal/results'
import { dollars, duration, type ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Part } from '../parts.js'
import { type Column, numberColumn, Table } from '../table.js'

interface Spent {
  readonly name: string
  readonly usage: Usage | null | undefined
  readonly costUsd: number | null | undefined
  readonly elapsedMs: number | null | undefined
}

/** The tokens, cost and time of a trial: of the agent, its phases, and each judge. */
export function CostPart({ item }: { readonly item: ItemResult }): JSX.Element {
  const phases = item.detail?.kind === 'agent' ? (item.detail.invocation.phases ?? []) : []
  const judges = item.verdict === null ? [] : flatten(item.verdict).filter(({ kind }) => kind === 'judge')
  return (
    <>
      <SpentTable
        title="Total"
        rows={[
          { name: 'agent', usage: item.usage, costUsd: item.costUsd, elapsedMs: item.agentMs },
          { name: 'judges', usage: item.judgeUsage, costUsd: item.judgeCostUsd, elapsedMs: item.juryMs },
          { name: 'setup', usage: null, costUsd: null, elapsedMs: item.setupMs },
        ]}
      />
      <SpentTable title="Phases of the agent" rows={phases.map((phase) => spentBy(phase.name, phase))} />
      <SpentTable title="Judges" rows={judges.map(({ path, judgment }) => spentBy(path.slice(1), judgment))} />
    </>
  )
}

function spentBy(
  name: string,
  { usage, costUsd, elapsedMs }: { readonly usage?: Usage; readonly costUsd?: number; readonly elapsedMs?: number },
): Spent {
  return { name, usage, costUsd, elapsedMs }
}

const columns: readonly Column<Spent>[] = [
  { title: 'Part', isRowHeading: true, cell: ({ name }) => name },
  numberColumn('Tokens in', ({ usage }) => grouped(usage?.inputTokens)),
  numberColumn('cached', ({ usage }) => grouped(usage?.cacheReadTokens)),
  numberColumn('out', ({ usage }) => grouped(usage?.outputTokens)),
  numberColumn('Cost', ({ costUsd }) => dollars(costUsd)),
  numberColumn('Time', ({ elapsedMs }) => duration(elapsedMs)),
]

function SpentTable({ title, rows }: { readonly title: string; readonly rows: readonly Spent[] }): JSX.Element | null {
  if (rows.length === 0) return null
  return (
    <Part title={title}>
      <Table label={title} columns={columns} rows={rows} keyOf={({ name }) => name} />
    </Part>
  )
}
