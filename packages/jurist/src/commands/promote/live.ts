import type { JsonObject } from '@jurist/core'
import { totalCost } from '@jurist/core/internal'
import { runExperiment } from '@jurist/experiment'
import { incompleteBeta } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { dollars, duration } from '@jurist/experiment/result'
import { failureOf, isSameFailure } from './failure.js'
import type { JudgeAgain } from './judge-again.js'
import { ddmin, type Kept, type Limits, sizeOf } from './minimise.js'
import { type Asked, experimentOver, newItem } from './new-item.js'
import type { Promotion } from './promotion.js'
import { type Cut, cutKey } from './trial-files.js'

/** How often the agent failed as the trial did. */
export interface Tried {
  readonly alike: number
  readonly runs: number
}

const [leastRuns, mostRuns] = [3, 12]
const leastProbability = 0.9
const steps = 100

/**
 * The probability that a candidate fails at least half as often as the original: over the posteriors of both rates, which are beta
 * distributions, since each rate could be anything from 0 to 1 before (a uniform prior; Bayes 1763).
 */
export function probabilityOfHalf(original: Tried, candidate: Tried): number {
  const below = (rate: number, { alike, runs }: Tried) => incompleteBeta(rate, alike + 1, runs - alike + 1)
  let probability = 0
  for (let step = 1; step <= steps; step += 1) {
    const weight = below(step / steps, original) - below((step - 1) / steps, original)
    probability += weight * (1 - below((step - 0.5) / steps / 2, candidate))
  }
  return probability
}

/**
 * Runs a candidate 3 to 12 times, three at a time, until it is known whether it fails at least half as often as the original with a
 * probability of 0.9, or can no longer be.
 *
 * @param run runs it some times, and returns how often it failed alike
 */
export async function keepsFailing(original: Tried, run: (times: number) => Promise<number>): Promise<Tried | null> {
  let [alike, runs] = [0, 0]
  while (runs < mostRuns) {
    alike += await run(leastRuns)
    runs += leastRuns
    if (alike > 0 && probabilityOfHalf(original, { alike, runs }) >= leastProbability) return { alike, runs }
    const best = { alike: alike + mostRuns - runs, runs: mostRuns }
    if (probabilityOfHalf(original, best) < leastProbability) return null
  }
  return null
}

/** The reduced input of the agent. */
interface Told {
  readonly files: number
  readonly messages: number
  readonly keys: number
  readonly sentences: number
}

/** The parts that running the agent left out. */
export interface LiveFacts {
  /** How often the agent failed alike on the whole item, and on what is left. */
  readonly original: Tried
  readonly left: Tried
  /** All runs of the agent. */
  readonly runs: number
  /** Of agent and jury; `null`: no run declares it. */
  readonly costUsd: number | null
  readonly from: Told
  readonly to: Told
  readonly isStopped: boolean
}

export interface Live {
  readonly cut: Cut
  readonly asked: Asked
  readonly facts: LiveFacts
}

const mostOfAll = 200

/**
 * Leaves out what the agent gets while it goes on failing alike: files that the trial read, messages of a conversation, keys of the
 * input, and sentences of the task. Only runs of the agent show that: the recorded work answers another question.
 *
 * @param begun everything
 * @param smaller what the recorded work left of the files
 * @param judge judges the recorded work; `null`: judgments cost
 */
export async function minimiseLive(
  promotion: Promotion,
  { begun, smaller, asked: whole }: { readonly begun: Cut; readonly smaller: Cut; readonly asked: Asked },
  kept: Kept,
  judge: JudgeAgain | null,
  { until, signal }: Limits,
): Promise<Live> {
  const { experiment, run, item, files, failure, note, judge: path } = promotion
  if (experiment.agent === undefined && experiment.variants === undefined && experiment.matrix === undefined)
    throw usageInvalid('--live', `The config has no agent for "${run.experimentName}" that could run.`)
  const cost = totalCost([item.costUsd, item.judgeCostUsd])
  note(
    `--live runs the agent at most ${mostOfAll} times: ${mostRuns} times as it is, then ${leastRuns} to ${mostRuns} times for what is left out. ` +
      `A run took ${duration(item.durationMs)} and ` +
      (cost === undefined ? 'declared no cost.' : `cost ${dollars(cost)}: ${dollars(cost * mostOfAll)} at most.`),
  )
  let runs = 0
  const costs: (number | null)[] = []
  const mayGoOn = () => runs + leastRuns <= mostOfAll && performance.now() < until && !signal.aborted
  /** How often the agent fails alike; 0 once a limit is reached. */
  const tried = async (cut: Cut, asked: Asked, times: number): Promise<number> => {
    if (!mayGoOn()) return 0
    const made = await newItem(promotion, cut, asked, {})
    await using one = await experimentOver(promotion, item.itemId, made)
    const options = { ...one.options, repetitions: times }
    const ended = runExperiment(options, { signal, ...(run.variant === null ? {} : { variant: run.variant }) })
    const { items } = await ended.result.catch((thrown: unknown) => {
      // A template may name a key of the input that is left out.
      if (signal.aborted || runs > 0) return { items: [] }
      throw thrown
    })
    runs += items.length
    costs.push(...items.flatMap(({ costUsd, judgeCostUsd }) => [costUsd, judgeCostUsd]))
    return items.filter((one) => isSameFailure(failureOf(one, path), failure)).length
  }
  const original = { alike: await tried(begun, whole, mostRuns), runs }
  note(`The agent failed alike in ${original.alike} of ${original.runs} runs.`)
  let [cut, asked, left] = [begun, whole, original]
  const keyOf = (one: Cut, question: Asked) => JSON.stringify([cutKey(one), question])
  const known = new Map([[keyOf(begun, whole), true]])
  /** Whether a candidate goes on failing; then it is what is left. */
  const holds = async (next: Cut, question: Asked, what: string): Promise<boolean> => {
    const key = keyOf(next, question)
    const before = known.get(key)
    if (before !== undefined) return before
    if (!mayGoOn()) return false
    const found =
      next.gone.size === smaller.gone.size || judge === null || (await judge.isAlike(next, kept.solution))
        ? await keepsFailing(original, (times) => tried(next, question, times))
        : null
    known.set(key, found !== null)
    if (found !== null) [cut, asked, left] = [next, question, found]
    note(
      `${runs} of at most ${mostOfAll} runs: ${what}, ${found === null ? 'not enough' : `${found.alike} of ${found.runs} failed alike`}`,
    )
    return found !== null
  }
  if (original.alike > 0) {
    await holds(smaller, asked, 'without files that the recorded failure does not need')
    const told = Object.keys(files.snapshots.before.files).filter(
      (one) => !(cut.gone.has(one) || kept.always(one) || files.changed.includes(one)),
    )
    const started = cut
    await ddmin(
      told,
      (part) => holds(without(started, told, part), asked, `${part.length} of ${counted(told.length, 'file')} it read`),
      mayGoOn,
    )
    const { messages, input, task } = whole
    await ddmin(
      messages,
      (part) => holds(cut, { ...asked, messages: part }, `${part.length} of ${counted(messages.length, 'message')}`),
      mayGoOn,
      1,
    )
    const keys = Object.keys(input ?? {})
    await ddmin(
      keys,
      (part) =>
        holds(
          cut,
          { ...asked, input: pickedOf(input ?? {}, part) },
          `${part.length} of ${counted(keys.length, 'key')} of the input`,
        ),
      mayGoOn,
    )
    const sentences = sentencesOf(task)
    await ddmin(
      sentences,
      (part) =>
        holds(
          cut,
          { ...asked, task: part.join('').trim() },
          `${part.length} of ${counted(sentences.length, 'sentence')}`,
        ),
      mayGoOn,
      1,
    )
  }
  const sizes = async (one: Cut, question: Asked): Promise<Told> => ({
    files: (await sizeOf(files, one)).files,
    messages: question.messages.length,
    keys: Object.keys(question.input ?? {}).length,
    sentences: sentencesOf(question.task).length,
  })
  const facts = {
    ...{ original, left, runs, costUsd: totalCost(costs) ?? null, isStopped: !mayGoOn() },
    ...{ from: await sizes(begun, whole), to: await sizes(cut, asked) },
  }
  return { cut, asked, facts }
}

function without(cut: Cut, all: readonly string[], part: readonly string[]): Cut {
  const left = new Set(part)
  return { ...cut, gone: new Set([...cut.gone, ...all.filter((path) => !left.has(path))]) }
}

function pickedOf(input: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (input[key] === undefined ? [] : [[key, input[key]]])))
}

/** The sentences of a text, each with the space after it, by the rules of Unicode (UAX 29). */
function sentencesOf(text: string): readonly string[] {
  return [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].map(({ segment }) => segment)
}
