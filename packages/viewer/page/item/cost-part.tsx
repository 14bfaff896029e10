import { flatten, type Usage } from '@jurist/core'
import type { ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { count, dollars, duration } from '../amounts.js'
import { Scroller } from '../scroller.js'

interface Spent {
  readonly who: string
  readonly usage: Usage | null | undefined
  readonly costUsd: number | null | undefined
  readonly elapsedMs: number | null | undefined
}

/** What a trial took: of the agent, of its phases, of each judge. */
export function CostPart({ item }: { readonly item: ItemResult }): JSX.Element {
  const phases = item.detail?.kind === 'agent' ? (item.detail.invocation.phases ?? []) : []
  const judges = item.verdict === null ? [] : flatten(item.verdict).filter(({ kind }) => kind === 'judge')
  return (
    <>
      <SpentTable
        title="In all"
        rows={[
          { who: 'agent', usage: item.usage, costUsd: item.costUsd, elapsedMs: item.agentMs },
          { who: 'judges', usage: item.judgeUsage, costUsd: item.judgeCostUsd, elapsedMs: item.juryMs },
          { who: 'setting up', usage: null, costUsd: null, elapsedMs: item.setupMs },
        ]}
      />
      <SpentTable title="Phases of the agent" rows={phases.map((phase) => ({ who: phase.name, ...spentBy(phase) }))} />
      <SpentTable
        title="Judges"
        rows={judges.map(({ path, judgment }) => ({ who: path.slice(1), ...spentBy(judgment) }))}
      />
    </>
  )
}

function spentBy({ usage, costUsd, elapsedMs }: { usage?: Usage; costUsd?: number; elapsedMs?: number }) {
  return { usage, costUsd, elapsedMs }
}

function SpentTable({ title, rows }: { readonly title: string; readonly rows: readonly Spent[] }): JSX.Element | null {
  if (rows.length === 0) return null
  return (
    <section class="part">
      <h2>{title}</h2>
      <Scroller label={title}>
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Who</th>
              {['Tokens in', 'cached', 'out', 'Cost', 'Time'].map((name) => (
                <th scope="col" class="number" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ who, usage, costUsd, elapsedMs }, index) => (
              <tr key={`${index} ${who}`}>
                <th scope="row">{who}</th>
                <td class="number">{count(usage?.inputTokens)}</td>
                <td class="number">{count(usage?.cacheReadTokens)}</td>
                <td class="number">{count(usage?.outputTokens)}</td>
                <td class="number">{dollars(costUsd)}</td>
                <td class="number">{duration(elapsedMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}
