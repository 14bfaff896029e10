import { flatten, type Usage } from '@jurist/core'
import { evidenceOf, resultWithItems, tokensOf, trialText } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { variantsOf } from './run.js'
import type { RunReader } from './run-reader.js'

/** The dimensions by which the cost of a run is split, in the order of the page. */
const costSplits = ['variant', 'item', 'judge', 'tier', 'model', 'phase', 'tool'] as const

export type CostSplit = (typeof costSplits)[number]

/** The cost of one part of a split. Parts of different splits overlap. */
export interface CostRow {
  readonly name: string
  /** US dollars; `null` if none was declared. Tools declare none. */
  readonly costUsd: number | null
  readonly tokens: number | null
  /** How often it was paid for, asked or called. */
  readonly times: number
  readonly trials: number
  /** The run of a variant. */
  readonly run?: string
}

/** The cost of a run, split in several ways. */
export interface CostDocument {
  readonly costUsd: number | null
  readonly splits: readonly { readonly by: CostSplit; readonly rows: readonly CostRow[]; readonly total: number }[]
}

const mostRows = 50

interface Spent {
  readonly by: CostSplit
  readonly name: string
  readonly usage?: Usage | null | undefined
  readonly costUsd?: number | null | undefined
}

/** Splits the cost of a run by item, judge, tier, model, phase and tool, and compares its variants. */
export async function costDocument(run: RunResult, reader: RunReader): Promise<CostDocument> {
  const sums = new Map<CostSplit, Map<string, CostRow & { readonly last: string }>>()
  for (const item of (await resultWithItems(run)).items)
    for (const { by, name, usage, costUsd } of spentIn(item)) {
      if (by !== 'tool' && usage == null && costUsd == null) continue
      const rows = sums.get(by) ?? new Map()
      sums.set(by, rows)
      const known = rows.get(name) ?? { name, costUsd: null, tokens: null, times: 0, trials: 0, last: '' }
      const [trial, tokens] = [trialText(item), tokensOf(usage ?? null)]
      rows.set(name, {
        name,
        costUsd: plus(known.costUsd, costUsd),
        tokens: plus(known.tokens, tokens),
        times: known.times + 1,
        trials: known.trials + (known.last === trial ? 0 : 1),
        last: trial,
      })
    }
  const variants = await variantRows(run, reader)
  const splits = costSplits.map((by) => {
    const rows = by === 'variant' ? variants : [...(sums.get(by)?.values() ?? [])].map(({ last: _, ...row }) => row)
    const sorted = rows.toSorted((one, other) => (other.costUsd ?? -1) - (one.costUsd ?? -1) || other.times - one.times)
    return { by, rows: sorted.slice(0, mostRows), total: sorted.length }
  })
  return { costUsd: plus(run.costUsd, run.judgeCostUsd), splits: splits.filter(({ total }) => total > 0) }
}

/** Whether a trial paid for a part of a split: the filter `spent` of the items, as `judge:correct`. */
export function hasSpent(item: ItemResult, part: string): boolean {
  return spentIn(item).some(({ by, name }) => `${by}:${name}` === part)
}

function spentIn(item: ItemResult): readonly Spent[] {
  const { itemId, costUsd, usage, judgeCostUsd, judgeUsage, verdict, detail, user } = item
  const invocation = detail?.kind === 'agent' ? detail.invocation : undefined
  const judgments = verdict === null ? [] : flatten(verdict).filter(({ kind }) => kind === 'judge')
  const { tiers } = verdict ?? {}
  const model = invocation?.metadata?.['model']
  return [
    { by: 'item', name: itemId, usage, costUsd: plus(costUsd, judgeCostUsd) },
    { by: 'phase', name: 'agent', usage, costUsd },
    { by: 'phase', name: 'judges', usage: judgeUsage, costUsd: judgeCostUsd },
    ...(user === undefined ? [] : [{ by: 'phase' as const, name: 'simulated user', ...user }]),
    ...(invocation?.phases ?? []).map((phase) => ({
      ...{ by: 'phase' as const, name: `agent, ${phase.name}`, usage: phase.usage, costUsd: phase.costUsd },
    })),
    ...(invocation?.phases ?? []).flatMap(({ toolUses = [] }) =>
      toolUses.map(({ name }) => ({ by: 'tool' as const, name, usage: null, costUsd: null })),
    ),
    ...(typeof model === 'string' ? [{ by: 'model' as const, name: model, usage, costUsd }] : []),
    ...judgments.flatMap(({ path, judgment }): readonly Spent[] => {
      const spent = { usage: judgment.usage, costUsd: judgment.costUsd }
      const name = evidenceOf(judgment).model?.name ?? undefined
      return [
        { by: 'judge', name: path.slice(1), ...spent },
        ...(tiers === undefined ? [] : [{ by: 'tier' as const, name: path.split('/')[1] ?? '', ...spent }]),
        ...(name === undefined ? [] : [{ by: 'model' as const, name, ...spent }]),
      ]
    }),
  ]
}

async function variantRows(run: RunResult, reader: RunReader): Promise<readonly CostRow[]> {
  const variants = variantsOf(run, await reader.entries())
  if (variants.length < 2) return []
  return variants.map(({ id, variant, experimentName, costUsd, judgeCostUsd, counts }) => ({
    ...{ name: variant ?? experimentName, run: id, costUsd: plus(costUsd, judgeCostUsd), tokens: null },
    ...{ times: counts.run, trials: counts.run },
  }))
}

function plus(one: number | null | undefined, other: number | null | undefined): number | null {
  return one == null && other == null ? null : (one ?? 0) + (other ?? 0)
}
