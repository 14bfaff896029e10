import type { JudgmentStatus, Usage } from '@jurist/core'
import type { AgentOutcome, JudgedOutcome } from '../result/records.js'
import type { TrialBrief } from '../result/trial-brief.js'

/** A brief with the place of its trial in `items.jsonl`, in bytes. */
export interface PlacedBrief extends TrialBrief {
  readonly offset: number
  /** Without the line feed. */
  readonly length: number
}

/** Some rows, and the words that they are the first to use: every other time a word is its number. */
export interface BriefPart {
  readonly words: readonly string[]
  readonly trials: readonly BriefRow[]
}

/** A brief as a list: a third of the size of a record, and read in half the time. */
type BriefRow = readonly [
  itemId: string,
  itemSlug: string | null,
  itemHash: string,
  repetition: number,
  bucket: number,
  agent: number,
  judged: number,
  passed: boolean | null,
  infrastructure: boolean | null,
  durationMs: number,
  agentMs: number,
  usage: Usage | null,
  judgeUsage: Usage | null,
  costUsd: number | null,
  judgeCostUsd: number | null,
  scores: readonly number[] | null,
  efficiency: readonly number[] | null,
  checks: readonly number[] | null,
  stages: readonly number[],
  judgeTimedOut: boolean,
  length: number,
]

type Numbers = Readonly<Record<string, number>>

/** Turns briefs into rows. */
export function rowWriter(): (briefs: readonly PlacedBrief[]) => BriefPart {
  const numbers = new Map<string, number>()
  let words: string[] = []

  function numberOf(word: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    words.push(word)
    numbers.set(word, numbers.size)
    return numbers.size - 1
  }
  function listed(record: Numbers | null): readonly number[] | null {
    return record && Object.entries(record).flatMap(([name, value]) => [numberOf(name), value])
  }
  function rowOf(brief: PlacedBrief): BriefRow {
    const { itemId, itemSlug, itemHash, repetition, passed, failure, durationMs, agentMs, length } = brief
    return [
      itemId,
      itemSlug === itemId ? null : itemSlug,
      itemHash,
      repetition,
      numberOf(brief.bucket),
      numberOf(brief.agent),
      numberOf(brief.judged),
      passed,
      failure?.infrastructure ?? null,
      durationMs,
      agentMs,
      brief.usage,
      brief.judgeUsage,
      brief.costUsd,
      brief.judgeCostUsd,
      listed(brief.scores),
      listed(brief.efficiency),
      listed(brief.checks),
      brief.stages.flatMap(({ name, status }) => [numberOf(name), numberOf(status ?? '')]),
      brief.judgeTimedOut,
      length,
    ]
  }
  return function partOf(briefs) {
    words = []
    return { trials: briefs.map(rowOf), words }
  }
}

/** Turns rows into briefs again, the parts in the order in which they were written. */
export function rowReader(): (part: BriefPart) => readonly PlacedBrief[] {
  const words: string[] = []
  let offset = 0

  function recordOf(list: readonly number[] | null): Numbers | null {
    if (list === null) return null
    const record: Record<string, number> = {}
    for (let at = 0; at < list.length; at += 2) record[wordOf(list[at])] = list[at + 1] as number
    return record
  }
  function stagesOf(list: readonly number[]): TrialBrief['stages'] {
    const stages: TrialBrief['stages'][number][] = []
    for (let at = 0; at < list.length; at += 2)
      stages.push({ name: wordOf(list[at]), status: (wordOf(list[at + 1]) || null) as JudgmentStatus | null })
    return stages
  }
  function wordOf(number: number | undefined): string {
    const word = words[number ?? -1]
    if (word === undefined) throw new TypeError('A row uses a word that no part has told.')
    return word
  }
  function briefOf(row: BriefRow): PlacedBrief {
    const [itemId, itemSlug, itemHash, repetition, bucket, agent, judged, passed, infrastructure, ...rest] = row
    const [durationMs, agentMs, usage, judgeUsage, costUsd, judgeCostUsd, ...lists] = rest
    const [scores, efficiency, checks, stages, judgeTimedOut, length] = lists
    const start = offset
    offset += length + 1
    return {
      itemId,
      itemSlug: itemSlug ?? itemId,
      itemHash,
      repetition,
      bucket: wordOf(bucket),
      agent: wordOf(agent) as AgentOutcome,
      judged: wordOf(judged) as JudgedOutcome,
      passed,
      failure: infrastructure === null ? null : { infrastructure },
      durationMs,
      agentMs,
      usage,
      judgeUsage,
      costUsd,
      judgeCostUsd,
      scores: recordOf(scores) ?? {},
      efficiency: recordOf(efficiency),
      checks: recordOf(checks),
      stages: stagesOf(stages),
      judgeTimedOut,
      offset: start,
      length,
    }
  }
  return function briefsIn(part) {
    words.push(...part.words)
    return part.trials.map(briefOf)
  }
}
