import { counted, score } from './amounts.js'
import type { UnitCounts } from './statistics/bootstrap.js'
import { passAtK, passHatK } from './statistics/pass-at-k.js'
import { effectiveWilson, wilsonInterval } from './statistics/rate-intervals.js'
import type { Counts, Interval, PassAtK } from './summary.js'
import type { SummarizedTrial } from './trial-figures.js'

interface DecidedTrials {
  trials: number
  passes: number
}

/** The figures that depend on how often items were tried. */
export interface RepetitionFigures {
  /** Whether an item has more than one trial. */
  readonly repeated: boolean
  readonly passRateInterval: Interval | null
  readonly passAtK: readonly PassAtK[]
  readonly flakyItems: readonly string[]
}

/** Most runs try each item once: then nothing has to be gathered by item. */
export function repetitionFigures(
  items: readonly SummarizedTrial[],
  { passes, fails }: Pick<Counts, 'passes' | 'fails'>,
  passAt: readonly number[] = [],
): RepetitionFigures {
  const ids = new Set<string>()
  for (const { itemId } of items) ids.add(itemId)
  if (ids.size === items.length) {
    const kinds = [
      { ...onePass, items: passes },
      { ...oneFail, items: fails },
    ]
    return {
      repeated: false,
      passRateInterval: wilsonInterval(passes, passes + fails, level),
      passAtK: passAtEachK(
        kinds.filter((kind) => kind.items > 0),
        passAt,
      ),
      flakyItems: [],
    }
  }
  const decided = decidedByItem(items)
  return {
    repeated: true,
    passRateInterval: passRateInterval(decided),
    passAtK: passAtEachK(alikeItems(decided), passAt),
    flakyItems: flakyItems(decided),
  }
}

/** The decided trials by item, in the order of the items. */
function decidedByItem(items: readonly SummarizedTrial[]): ReadonlyMap<string, Readonly<DecidedTrials>> {
  const decided = new Map<string, Readonly<DecidedTrials>>()
  for (const { itemId, passed } of items) {
    if (passed === null) continue
    const known = decided.get(itemId) ?? untried
    if (known === untried) decided.set(itemId, passed ? onePass : oneFail)
    else decided.set(itemId, { trials: known.trials + 1, passes: known.passes + (passed ? 1 : 0) })
  }
  return decided
}

// Most items are tried once: 100,000 of them share two objects.
const untried: Readonly<DecidedTrials> = { trials: 0, passes: 0 }
const onePass: Readonly<DecidedTrials> = { trials: 1, passes: 1 }
const oneFail: Readonly<DecidedTrials> = { trials: 1, passes: 0 }

/** Ids of items with both a pass and a fail, sorted. */
function flakyItems(decided: ReadonlyMap<string, Readonly<DecidedTrials>>): readonly string[] {
  const flaky: string[] = []
  for (const [id, { trials, passes }] of decided) if (passes > 0 && passes < trials) flaky.push(id)
  return flaky.sort()
}

/**
 * pass@k and pass^k for every k up to 5, then 8, 16, … and the largest number of decided trials of an item, and for those
 * that were asked for beside them.
 */
function passAtEachK(kinds: readonly Readonly<AlikeItems>[], asked: readonly number[]): readonly PassAtK[] {
  const most = kinds.reduce((largest, { trials }) => Math.max(largest, trials), 0)
  if (most === 0) return []
  const ks = new Set([most, ...asked.filter((k) => k <= most)])
  for (let k = 1; k < most; k = k < 5 ? k + 1 : 2 ** (Math.floor(Math.log2(k)) + 1)) ks.add(k)
  return [...ks].sort((one, other) => one - other).map((k) => passAt(k, kinds))
}

/** Items with equal numbers of trials and passes: there are few such groups however many items there are. */
interface AlikeItems extends Readonly<DecidedTrials> {
  items: number
}

function alikeItems(decided: ReadonlyMap<string, Readonly<DecidedTrials>>): readonly Readonly<AlikeItems>[] {
  // Indexed by trials, then by passes: a string key for each item would cost more than the rest of the function.
  const kinds: AlikeItems[][] = []
  for (const { trials, passes } of decided.values()) {
    kinds[trials] ??= []
    const ofTrials = kinds[trials]
    const alike = ofTrials[passes]
    if (alike === undefined) ofTrials[passes] = { trials, passes, items: 1 }
    else alike.items += 1
  }
  return kinds.flat()
}

function passAt(k: number, kinds: readonly Readonly<AlikeItems>[]): PassAtK {
  let [items, one, all] = [0, 0, 0]
  for (const kind of kinds) {
    if (kind.trials < k) continue
    items += kind.items
    one += kind.items * (passAtK(kind.trials, kind.passes, k) ?? 0)
    all += kind.items * (passHatK(kind.trials, kind.passes, k) ?? 0)
  }
  return { k, passAtK: one / items, passHatK: all / items, items }
}

const level = 0.95

function passRateInterval(decided: ReadonlyMap<string, Readonly<DecidedTrials>>): Interval | null {
  return itemsInterval([...decided.values()].map(({ trials, passes }) => ({ trials, matches: passes })))
}

/**
 * The 95 % interval of a rate: Wilson's when no item has two trials. Else trials of one item depend on each other: Wilson's on the
 * effective number of trials; `null` below two items.
 */
export function itemsInterval(units: readonly UnitCounts[]): Interval | null {
  if (units.some(({ trials }) => trials > 1)) return effectiveWilson(units, level)
  return wilsonInterval(units.filter(({ matches }) => matches > 0).length, units.length, level)
}

/**
 * pass@k, each with the number of items it is a mean of: only items with at least `k` decided trials count, so a larger
 * `k` may rest on fewer items.
 */
export function passAtKText(rows: readonly PassAtK[]): string {
  return textOf(rows, ({ passAtK }) => passAtK)
}

/** pass^k, each with the number of items it is a mean of. */
export function passHatKText(rows: readonly PassAtK[]): string {
  return textOf(rows, ({ passHatK }) => passHatK)
}

/** The number of items is at the end where it is the same for every `k`. */
function textOf(rows: readonly PassAtK[], rateOf: (row: PassAtK) => number): string {
  const isSame = rows.every(({ items }) => items === rows[0]?.items)
  return rows
    .map((row, index) => {
      const basis = isSame && index < rows.length - 1 ? '' : ` (${counted(row.items, 'item')})`
      return `k=${row.k} ${score(rateOf(row))}${basis}`
    })
    .join('  ')
}
