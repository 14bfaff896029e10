import type { JournalEvent } from '@jurist/core'
import { groupBy } from '@jurist/kit/group-by'
import { argumentsOf, classifiedCalls, pathIn, toolState } from '../journal/tool-calls.js'
import { grouped } from '../result/amounts.js'
import { countedApart } from '../result/quarantine.js'
import type { ItemResult } from '../result/records.js'
import { meanOf } from '../result/statistics/descriptive.js'
import { holmAdjusted, signFlipTest } from '../result/statistics/paired-tests.js'
import { seededRandom } from '../result/statistics/random.js'
import type { RunResult } from '../result/trial-figures.js'

/** The actions of an agent in a trial, from its journal. */
export interface TrialBehaviour {
  readonly itemId: string
  readonly itemHash: string
  readonly repetition: number
  /** Whether the trial passed; `null`: nothing was decided. */
  readonly passed: boolean | null
  /** Calls by the name of the tool. */
  readonly tools: Readonly<Record<string, { readonly calls: number; readonly failed: number }>>
  /** The arguments of calls, as `tool key=value`, at most 2,000. */
  readonly arguments: readonly string[]
  /** The kinds of the calls in their order, at most 2,000. */
  readonly sequence: readonly string[]
  /** The files that calls named, by what was done with them. */
  readonly read: readonly string[]
  readonly written: readonly string[]
  /** The hosts that commands asked for. */
  readonly hosts: readonly string[]
  /** The messages of the agent in a conversation; 0 without one. */
  readonly turns: number
}

const [longestSequence, mostArguments] = [2_000, 2_000]

/** The behaviour of a trial; `null`: its journal has no calls of tools, so that nothing is known. */
export function behaviourOf(item: ItemResult, events: readonly JournalEvent[]): TrialBehaviour | null {
  const calls = classifiedCalls(events, toolState)
  const isRecorded = events.some(({ type }) => type === 'tool-call' || type === 'model-call')
  if (!isRecorded) return null
  const tools: Record<string, { calls: number; failed: number }> = {}
  const [read, written, given] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { call, result, state } of calls) {
    const name = typeof call.name === 'string' ? call.name : 'unknown'
    const own = Object.hasOwn(tools, name) ? tools[name] : undefined
    const tool = own ?? { calls: 0, failed: 0 }
    if (own === undefined) Object.defineProperty(tools, name, { value: tool, enumerable: true })
    tool.calls += 1
    if (result?.failed === true) tool.failed += 1
    if (given.size < mostArguments) for (const argument of argumentsOf(call)) given.add(`${name} ${argument}`)
    const path = pathIn(call.input)
    if (path !== undefined && state === 'read') read.add(path)
    if (path !== undefined && state === 'write') written.add(path)
  }
  const { itemId, itemHash, repetition, passed, network, detail } = item
  const turns = (detail?.kind === 'agent' && detail.invocation.turns) || []
  const hosts = Object.keys({ ...network?.allowed, ...network?.refused })
  return {
    ...{ itemId, itemHash, repetition, passed, tools, hosts: hosts.sort() },
    turns: turns.filter(({ role, isHistory }) => role === 'agent' && isHistory === undefined).length,
    arguments: [...given].sort(),
    sequence: calls.slice(0, longestSequence).map(({ state }) => state),
    read: [...read].sort(),
    written: [...written].sort(),
  }
}

/** A tool, a host or an argument of a tool that one side uses and the other never does. */
export interface UsedByOne {
  readonly kind: 'tool' | 'host' | 'argument'
  readonly name: string
  /** Trials that use it. */
  readonly baseline: number
  readonly candidate: number
}

/** Calls of a tool, or another amount, per trial: means over items. */
export interface BehaviourChange {
  readonly name: string
  readonly baselineMean: number
  readonly candidateMean: number
  /** By items, raised for all tests of the behaviour (Holm); `null`: too little was run to say. */
  readonly pValue: number | null
}

/** How differently agents behaved in two runs. It decides nothing: scores do. */
export interface BehaviourComparison {
  readonly items: number
  /** Trials with a journal. */
  readonly trials: { readonly baseline: number; readonly candidate: number }
  /**
   * Used by at least a fifth of the trials of the candidate, and by none of the baseline; and the other way round. Arguments are those
   * of tools that both sides use, at least three trials, the ten most frequent.
   */
  readonly added: readonly UsedByOne[]
  readonly gone: readonly UsedByOne[]
  /** The changes that chance does not explain; without repetitions and with fewer than 10 items, all amounts that differ. */
  readonly changed: readonly BehaviourChange[]
  /**
   * How different the orders of calls are, 0 to 1: the edit distance of two trials of an item by the length of the longer one, a mean
   * over items; and the same between repetitions of the baseline, `null` without any.
   */
  readonly order: {
    readonly distance: number
    readonly withinBaseline: number | null
    readonly pValue: number | null
  } | null
  /**
   * Items whose pass rate is the same and whose behaviour is not: what a gate on scores misses. Those with tools and hosts of one side only
   * come first, then those with arguments, as `tool key=value`, of every trial of one side and none of the other. An argument of a single
   * trial counts where it is in `added` or `gone`.
   */
  readonly alikeButOther: readonly {
    readonly itemId: string
    readonly added: readonly string[]
    readonly gone: readonly string[]
  }[]
  /** Whether the p values have a meaning: there are repetitions, or 10 items. */
  readonly isTested: boolean
}

const leastShare = 0.2
const leastItems = 10
const [leastUses, mostShown] = [3, 10]
const alpha = 0.05
const mostPairs = 5
const permutations = 999

interface Sides {
  readonly itemId: string
  readonly before: readonly TrialBehaviour[]
  readonly after: readonly TrialBehaviour[]
}

/**
 * Compares what agents did in two runs, item by item: tools, hosts and arguments that only one side uses, calls of each tool (sign-flip test), and
 * the order of calls (a permutation test of the labels of trials within items). All tests are read together, by Holm's method.
 *
 * @returns `null` when a side has no journals: then nothing is known, which is not "unchanged"
 */
export function compareBehaviour(
  baseline: readonly TrialBehaviour[],
  candidate: readonly TrialBehaviour[],
): BehaviourComparison | null {
  const items = sidesOf(baseline, candidate)
  const [before, after] = [items.flatMap((one) => one.before), items.flatMap((one) => one.after)]
  if (before.length === 0 || after.length === 0) return null
  const isTested = items.length >= leastItems || items.some((one) => one.before.length > 1 && one.after.length > 1)
  const amounts = amountsOf(items, [...before, ...after])
  const order = orderOf(items)
  const raw = [
    ...amounts.map(({ differences }) => signFlipTest(differences).pValue),
    ...((order?.pValue ?? null) === null ? [] : [order?.pValue ?? 1]),
  ]
  const adjusted = holmAdjusted(raw)
  const all = amounts.map(({ differences: _, ...amount }, index) => ({
    ...amount,
    pValue: isTested ? (adjusted[index] ?? 1) : null,
  }))
  const used = (['tool', 'host', 'argument'] as const).flatMap((kind) => usedByOne(kind, before, after))
  const named = new Set(used.flatMap(({ kind, name }) => (kind === 'argument' ? [name] : [])))
  const others = items.flatMap((sides) => alikeButOther(sides, named))
  return {
    items: items.length,
    trials: { baseline: before.length, candidate: after.length },
    added: mostUsed(used.filter((one) => one.baseline === 0)),
    gone: mostUsed(used.filter((one) => one.candidate === 0)),
    changed: all.filter(({ pValue, baselineMean, candidateMean }) =>
      pValue === null ? Math.abs(baselineMean - candidateMean) > 1e-9 : pValue <= alpha,
    ),
    order:
      order === null ? null : { ...order, pValue: order.pValue === null || !isTested ? null : (adjusted.at(-1) ?? 1) },
    alikeButOther: [...others.filter(({ isTool }) => isTool), ...others.filter(({ isTool }) => !isTool)].map(
      ({ isTool: _, ...other }) => other,
    ),
    isTested,
  }
}

/** The items that both sides have as the same task. */
function sidesOf(baseline: readonly TrialBehaviour[], candidate: readonly TrialBehaviour[]): readonly Sides[] {
  const byItem = groupBy(baseline, ({ itemId }) => itemId)
  return [...groupBy(candidate, ({ itemId }) => itemId)].flatMap(([itemId, after]) => {
    const before = (byItem.get(itemId) ?? []).filter(({ itemHash }) => itemHash === after[0]?.itemHash)
    return before.length === 0 ? [] : [{ itemId, before, after }]
  })
}

interface Amount {
  readonly name: string
  readonly baselineMean: number
  readonly candidateMean: number
  readonly differences: readonly number[]
}

/** Calls of each tool, failed calls, and files, per trial. */
function amountsOf(items: readonly Sides[], trials: readonly TrialBehaviour[]): readonly Amount[] {
  const tools = [...new Set(trials.flatMap(({ tools: own }) => Object.keys(own)))].sort()
  const measures: readonly (readonly [name: string, of: (trial: TrialBehaviour) => number])[] = [
    ...tools.map((name) => [`calls of ${name}`, (trial: TrialBehaviour) => trial.tools[name]?.calls ?? 0] as const),
    ['failed calls', (trial) => Object.values(trial.tools).reduce((sum, { failed }) => sum + failed, 0)],
    ['files read', (trial) => trial.read.length],
    ['files written', (trial) => trial.written.length],
    ...(trials.some(({ turns }) => turns > 0) ? [['turns', ({ turns }: TrialBehaviour) => turns] as const] : []),
  ]
  return measures.map(([name, of]) => {
    const means = items.map(({ before, after }) => [meanOf(before.map(of)), meanOf(after.map(of))] as const)
    return {
      name,
      baselineMean: meanOf(means.map(([was]) => was)),
      candidateMean: meanOf(means.map(([, is]) => is)),
      differences: means.map(([was, is]) => is - was),
    }
  })
}

function usedByOne(
  kind: UsedByOne['kind'],
  before: readonly TrialBehaviour[],
  after: readonly TrialBehaviour[],
): readonly UsedByOne[] {
  const argumentsOfBoth = argumentsOfSharedTools(before, after)
  const namesOf = (trial: TrialBehaviour) =>
    kind === 'tool' ? Object.keys(trial.tools) : kind === 'host' ? trial.hosts : argumentsOfBoth(trial)
  const least = kind === 'argument' ? leastUses : 1
  const count = (trials: readonly TrialBehaviour[]) => {
    const uses = new Map<string, number>()
    for (const trial of trials) for (const name of namesOf(trial)) uses.set(name, (uses.get(name) ?? 0) + 1)
    return uses
  }
  const [was, is] = [count(before), count(after)]
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((name) => {
    const [baseline, candidate] = [was.get(name) ?? 0, is.get(name) ?? 0]
    const isOften = baseline === 0 ? candidate >= leastShare * after.length : baseline >= leastShare * before.length
    const isOne = (baseline === 0 || candidate === 0) && baseline + candidate >= least
    return isOne && isOften ? [{ kind, name, baseline, candidate }] : []
  })
}

/** Of a trial the arguments of tools that both sides use. */
function argumentsOfSharedTools(before: readonly TrialBehaviour[], after: readonly TrialBehaviour[]) {
  const toolsOf = (trials: readonly TrialBehaviour[]) => new Set(trials.flatMap(({ tools }) => Object.keys(tools)))
  const [theirs, own] = [toolsOf(before), toolsOf(after)]
  return ({ arguments: given }: TrialBehaviour) =>
    given.filter((argument) => {
      const tool = argument.slice(0, argument.indexOf(' '))
      return theirs.has(tool) && own.has(tool)
    })
}

/** Tools and hosts, and of the arguments those that most trials use. */
function mostUsed(used: readonly UsedByOne[]): readonly UsedByOne[] {
  const isArgument = ({ kind }: UsedByOne) => kind === 'argument'
  const sorted = used.filter(isArgument).sort((a, b) => b.baseline + b.candidate - (a.baseline + a.candidate))
  return [...used.filter((one) => !isArgument(one)), ...sorted.slice(0, mostShown)]
}

/** The tools that one side of an item uses and the other does not, if both pass as often. */
function alikeButOther(
  { itemId, before, after }: Sides,
  named: ReadonlySet<string>,
): readonly (BehaviourComparison['alikeButOther'][number] & { readonly isTool: boolean })[] {
  const rate = (trials: readonly TrialBehaviour[]) => {
    const decided = trials.filter(({ passed }) => passed !== null)
    return decided.length === 0 ? null : decided.filter(({ passed }) => passed === true).length / decided.length
  }
  if (rate(before) !== rate(after)) return []
  const isRepeated = before.length > 1 && after.length > 1
  const usesOf = ({ tools, hosts }: TrialBehaviour) => [...Object.keys(tools), ...hosts]
  const argumentsOfBoth = argumentsOfSharedTools(before, after)
  const onlyIn = (own: readonly TrialBehaviour[], other: readonly TrialBehaviour[]) => {
    const theirs = new Set(other.flatMap((trial) => [...usesOf(trial), ...trial.arguments]))
    const uses = [...new Set(own.flatMap(usesOf))].filter((name) => !theirs.has(name)).sort()
    const steady = (own[0] === undefined ? [] : argumentsOfBoth(own[0])).filter(
      (name) =>
        !theirs.has(name) && (isRepeated || named.has(name)) && own.every((trial) => trial.arguments.includes(name)),
    )
    return { uses, all: [...uses, ...steady.slice(0, mostShown)] }
  }
  const [added, gone] = [onlyIn(after, before), onlyIn(before, after)]
  if (added.all.length + gone.all.length === 0) return []
  return [{ itemId, added: added.all, gone: gone.all, isTool: added.uses.length + gone.uses.length > 0 }]
}

/** The order of calls: distances within items, and how often labels dealt at random give as large a difference. */
function orderOf(items: readonly Sides[]): BehaviourComparison['order'] {
  const known = items.flatMap(({ before, after }) => {
    const sequences = codesOf([...before.slice(0, mostPairs), ...after.slice(0, mostPairs)])
    // Above the diagonal: the distance is the same both ways.
    const distances = sequences.map((one, index) =>
      sequences.map((other, at) => (at > index ? distanceOf(one, other) : 0)),
    )
    return [{ distances, first: Math.min(mostPairs, before.length), all: sequences.length }]
  })
  if (known.length === 0) return null
  const asRun = known.map(({ first, all }) => Array.from({ length: all }, (_, index) => index < first))
  const distance = meanOf(known.map(({ distances }, index) => acrossOf(distances, asRun[index] ?? [])))
  const within = known.flatMap(({ distances, first }) =>
    withinOf(distances.slice(0, first).map((row) => row.slice(0, first))),
  )
  const isRepeated = known.some(({ first, all }) => first > 1 && all - first > 1)
  if (!isRepeated) return { distance, withinBaseline: within.length === 0 ? null : meanOf(within), pValue: null }
  const random = seededRandom(1)
  const statistic = (labels: readonly (readonly boolean[])[]) =>
    known.reduce((sum, { distances }, index) => sum + acrossOf(distances, labels[index] ?? []), 0)
  const observed = statistic(asRun)
  let asLarge = 0
  for (let turn = 0; turn < permutations; turn += 1) {
    const dealt = asRun.map((labels) => shuffledLabels(labels, random))
    if (statistic(dealt) >= observed - 1e-12) asLarge += 1
  }
  const pValue = (asLarge + 1) / (permutations + 1)
  return { distance, withinBaseline: within.length === 0 ? null : meanOf(within), pValue }
}

/** Fisher and Yates. */
function shuffledLabels(labels: readonly boolean[], { uniform }: ReturnType<typeof seededRandom>): readonly boolean[] {
  const dealt = [...labels]
  for (let left = dealt.length - 1; left > 0; left -= 1) {
    const chosen = Math.floor(uniform() * (left + 1))
    const held = dealt[left] ?? false
    dealt[left] = dealt[chosen] ?? false
    dealt[chosen] = held
  }
  return dealt
}

/** The mean distance of trials with different labels. */
function acrossOf(distances: readonly (readonly number[])[], labels: readonly boolean[]): number {
  let [sum, pairs] = [0, 0]
  for (const [one, row] of distances.entries())
    for (const [other, distance] of row.entries())
      if (one < other && labels[one] !== labels[other]) {
        sum += distance
        pairs += 1
      }
  return pairs === 0 ? 0 : sum / pairs
}

function withinOf(distances: readonly (readonly number[])[]): readonly number[] {
  return distances.flatMap((row, one) => row.filter((_, other) => one < other))
}

/** The sequences of trials with a number for each kind of call: numbers are compared many million times. */
function codesOf(trials: readonly TrialBehaviour[]): readonly Uint16Array[] {
  const codes = new Map<string, number>()
  const codeOf = (state: string) => {
    const code = codes.get(state) ?? codes.size
    codes.set(state, code)
    return code
  }
  return trials.map(({ sequence }) => Uint16Array.from(sequence, codeOf))
}

/** The edit distance of two sequences by the length of the longer one (Levenshtein 1966); 0 for two empty ones. */
function distanceOf(one: Uint16Array, other: Uint16Array): number {
  const longer = Math.max(one.length, other.length)
  if (longer === 0) return 0
  const row = Uint16Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let index = 0; index < one.length; index += 1) {
    const code = one[index]
    let diagonal = index
    let left = index + 1
    row[0] = left
    for (let at = 0; at < other.length; at += 1) {
      const above = row[at + 1] as number
      const replaced = code === other[at] ? diagonal : diagonal + 1
      const shorter = above < left ? above : left
      left = replaced <= shorter ? replaced : shorter + 1
      diagonal = above
      row[at + 1] = left
    }
  }
  return (row[other.length] as number) / longer
}

/** The most trials of a side whose journals are read. */
const mostTrials = 2_000

/**
 * Reads what agents did in two runs and compares it, without items that are in quarantine.
 *
 * @param eventsOf the journal of a trial; `[]` without one
 */
export async function readBehaviour(
  baseline: RunResult,
  candidate: RunResult,
  itemsIn: (run: RunResult) => Promise<readonly ItemResult[]>,
  eventsOf: (run: RunResult, item: ItemResult) => Promise<readonly JournalEvent[]>,
): Promise<BehaviourComparison | null> {
  const apart = countedApart(baseline, candidate)
  const sides: TrialBehaviour[][] = []
  for (const run of [baseline, candidate]) {
    const side: TrialBehaviour[] = []
    const trials = (await itemsIn(run)).filter(({ itemId }) => !apart.has(itemId))
    for (const item of trials.slice(0, mostTrials)) {
      const behaviour = item.journalPath === null ? null : behaviourOf(item, await eventsOf(run, item))
      if (behaviour !== null) side.push(behaviour)
    }
    if (side.length === 0) return null
    sides.push(side)
  }
  const [before = [], after = []] = sides
  return compareBehaviour(before, after)
}

/** A line of the table of behaviour: what differs, how, and how much on each side. */
export interface BehaviourRow {
  readonly how: 'new' | 'gone' | 'more' | 'fewer' | 'order'
  readonly what: string
  readonly baseline: string
  readonly candidate: string
  /** `null`: not tested. */
  readonly pValue: number | null
}

/** The table of behaviour, as terminal, reports and page show it. */
export function behaviourRows(behaviour: BehaviourComparison): readonly BehaviourRow[] {
  const { trials, added, gone, changed, order } = behaviour
  const used =
    (how: 'new' | 'gone') =>
    (one: UsedByOne): BehaviourRow => ({
      how,
      what: `${one.kind} ${one.name}`,
      baseline: `${grouped(one.baseline)} of ${grouped(trials.baseline)} trials`,
      candidate: `${grouped(one.candidate)} of ${grouped(trials.candidate)} trials`,
      pValue: null,
    })
  return [
    ...added.map(used('new')),
    ...gone.map(used('gone')),
    ...changed.map(({ name, baselineMean, candidateMean, pValue }) => ({
      how: candidateMean > baselineMean ? ('more' as const) : ('fewer' as const),
      what: name,
      baseline: baselineMean.toFixed(1),
      candidate: candidateMean.toFixed(1),
      pValue,
    })),
    ...(order === null || order.distance === 0
      ? []
      : [
          {
            how: 'order' as const,
            what: 'of calls',
            baseline: order.withinBaseline === null ? '' : `${order.withinBaseline.toFixed(2)} between repetitions`,
            candidate: `${order.distance.toFixed(2)} between the sides`,
            pValue: order.pValue,
          },
        ]),
  ]
}

/** Why a comparison has no table of behaviour. */
export const noBehaviour = 'no journals on one side: what agents did is not known'
