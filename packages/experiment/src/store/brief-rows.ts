import type { Usage } from '@jurist/core'
import type { AgentOutcome, ItemResult, JudgedOutcome } from '../result/records.js'
import {
  failedByError,
  judgeTimedOut,
  type TrialBrief,
  type TrialStage,
  trialChecks,
  trialEnvironmentProblem,
  trialFailedJudges,
  trialStages,
} from '../result/trial-brief.js'

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
  /** The list as JSON, as a word: few lists of outcomes are different. */
  stages: number,
  judgeTimedOut: boolean,
  /** Bytes of the line of the trial, without the line feed. */
  length: number,
  /** The list as JSON, as a word. Rows that were written without it are not readable, and made anew. */
  failedJudges: number,
  /** Absent in those of an older Jurist. */
  failedByError?: boolean,
  /** As a word; the empty one for nothing. Absent in those of an older Jurist. */
  environmentProblem?: number,
]

type Numbers = Readonly<Record<string, number>>

/** Turns trials into rows. */
export interface RowWriter {
  /** `length`: the bytes of the trial's line. */
  add(item: ItemResult, length: number): void
  /** How many rows were added since a part was taken. */
  pending(): number
  /** Those rows. */
  take(): BriefPart
}

/** A writer of rows that knows no word yet. */
export function rowWriter(): RowWriter {
  const numbers = new Map<string, number>()
  let words: string[] = []
  let trials: BriefRow[] = []

  function numberOf(word: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    words.push(word)
    numbers.set(word, numbers.size)
    return numbers.size - 1
  }
  return {
    pending: () => trials.length,
    add: (item, length) => void trials.push(rowOf(item, length, numberOf)),
    take() {
      const part = { words, trials }
      words = []
      trials = []
      return part
    },
  }
}

function rowOf(item: ItemResult, length: number, numberOf: (word: string) => number): BriefRow {
  return [
    item.itemId,
    item.itemSlug === item.itemId ? null : item.itemSlug,
    item.itemHash,
    item.repetition,
    numberOf(item.bucket),
    numberOf(item.agent),
    numberOf(item.judged),
    item.passed,
    item.failure?.infrastructure ?? null,
    item.durationMs,
    item.agentMs,
    item.usage,
    item.judgeUsage,
    item.costUsd,
    item.judgeCostUsd,
    listed(item.scores, numberOf),
    listed(item.efficiency, numberOf),
    listed(trialChecks(item), numberOf),
    numberOf(JSON.stringify(trialStages(item))),
    judgeTimedOut(item),
    length,
    numberOf(JSON.stringify(trialFailedJudges(item))),
    failedByError(item),
    numberOf(trialEnvironmentProblem(item) ?? ''),
  ]
}

function listed(record: Numbers | null, numberOf: (word: string) => number): readonly number[] | null {
  if (record === null) return null
  const list: number[] = []
  for (const name in record) list.push(numberOf(name), record[name] as number)
  return list
}

/** Briefs, and how many bytes the line of each takes. */
export interface Briefs {
  readonly trials: TrialBrief[]
  readonly lengths: number[]
}

/** Lists that are words: equal ones are one list. */
interface Lists {
  of<Value>(number: number): readonly Value[]
}

/** Turns rows into briefs again, the parts in the order in which they were written. */
export function rowReader({ trials, lengths }: Briefs): (part: BriefPart) => void {
  const words: string[] = []
  const known = new Map<number, readonly unknown[]>()

  function wordOf(number: number | undefined): string {
    const word = words[number ?? -1]
    if (word === undefined) throw new TypeError('A row uses a word that no part has told.')
    return word
  }
  const lists: Lists = {
    of<Value>(number: number) {
      const list = known.get(number) ?? (JSON.parse(wordOf(number)) as readonly unknown[])
      known.set(number, list)
      return list as readonly Value[]
    },
  }
  return function readPart(part) {
    words.push(...part.words)
    for (const row of part.trials) {
      trials.push(briefOf(row, wordOf, lists))
      lengths.push(row[20])
    }
  }
}

function briefOf(row: BriefRow, wordOf: (number: number | undefined) => string, lists: Lists): TrialBrief {
  // By place: taking a list apart by names makes garbage, and there are 100,000.
  const infrastructure = row[8]
  return {
    itemId: row[0],
    itemSlug: row[1] ?? row[0],
    itemHash: row[2],
    repetition: row[3],
    bucket: wordOf(row[4]),
    agent: wordOf(row[5]) as AgentOutcome,
    judged: wordOf(row[6]) as JudgedOutcome,
    passed: row[7],
    failure: infrastructure === null ? null : { infrastructure },
    durationMs: row[9],
    agentMs: row[10],
    usage: row[11],
    judgeUsage: row[12],
    costUsd: row[13],
    judgeCostUsd: row[14],
    scores: recordOf(row[15], wordOf) ?? {},
    efficiency: recordOf(row[16], wordOf),
    checks: recordOf(row[17], wordOf),
    stages: lists.of<TrialStage>(row[18]),
    judgeTimedOut: row[19],
    failedJudges: lists.of<string>(row[21]),
    failedByError: row[22] ?? olderRow(),
    environmentProblem: wordOf(row[23] ?? olderRow()) || null,
  }
}

/** A row of an older Jurist: the brief is made anew. */
function olderRow(): never {
  throw new TypeError('A row lacks a value.')
}

function recordOf(list: readonly number[] | null, wordOf: (number: number | undefined) => string): Numbers | null {
  if (list === null) return null
  const record: Record<string, number> = {}
  for (let at = 0; at < list.length; at += 2) {
    const name = wordOf(list[at])
    // The one name that cannot be assigned.
    if (name === '__proto__') return Object.fromEntries(entriesOf(list, wordOf))
    record[name] = list[at + 1] as number
  }
  return record
}

function entriesOf(list: readonly number[], wordOf: (number: number | undefined) => string) {
  return list.flatMap((word, at) => (at % 2 === 0 ? [[wordOf(word), list[at + 1] as number] as const] : []))
}
