import {
  abstain,
  categorical,
  error,
  fail,
  infoOf,
  type JsonObject,
  type Judge,
  type Judgment,
  type JudgmentContext,
  type Jury,
  numerical,
  pass,
  scored,
  type Usage,
  withInfo,
} from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  isPlainObject,
  judgmentFromJson,
  type OptionDescriptions,
  option,
  optionInvalid,
  printed,
} from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import { rangeRule } from './scorer.js'

/** How recorded answers are read. */
export interface RecordedOptions {
  /** Names the judge. Default: the name whose answers are replayed, else the name of the function. */
  readonly name?: string
  /** Other words for a pass, such as `['1']`. Upper and lower case count as equal. */
  readonly pass?: readonly string[]
  /** Other words for a fail, such as `['2']`. */
  readonly fail?: readonly string[]
  /** Words that are categories, for `exactCategoryMatch()`; `'any'`: every other word is one. */
  readonly categories?: readonly string[] | 'any'
  /** The range of recorded numbers. Default 0 to 1. */
  readonly range?: { readonly min: number; readonly max: number }
  /** From which share of the range on a number passes. Default 0.5. */
  readonly passingAt?: number
}

export const recordedRules: OptionDescriptions<RecordedOptions> = {
  name: described(option.string, 'The name of the judge. Default: the name whose answers are replayed.'),
  pass: described(option.strings, 'Other words for a pass. Upper and lower case count as equal.'),
  fail: described(option.strings, 'Other words for a fail.'),
  categories: {
    schema: { anyOf: [{ const: 'any' }, { type: 'array', items: { type: 'string' } }] },
    description: 'Words that are categories. "any": every other word is one.',
    wants: "an array of words, or 'any'",
    holds: (value) => value === 'any' || option.strings.holds(value),
  },
  range: { ...rangeRule, description: 'The range of the recorded numbers. Default: 0 to 1.' },
  passingAt: described(option.rate, 'The lowest share of the range that passes.', 0.5),
}

/**
 * A judge that replays recorded answers: those that a judge gave in another tool or at another time. A string
 * reads `metadata.said[name]` of the item, or its column `said.name`; a function gives the answer itself.
 *
 * An answer is `pass`, `fail`, `abstain` or `error`, true or false, a number, one of the words of the options, a judgment
 * as JSON, or `{ said, reasoning?, costUsd?, usage?, confidence? }` around one of the others. A missing answer abstains;
 * one that cannot be read is an error that says so.
 *
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { calibrate, recorded } from '@jurist/experiment/calibrate'
 *
 * await calibrate({ name: 'gpt4', candidate: recorded('gpt4'), items: 'pairs.jsonl' })
 * const named = recorded(({ metadata }) => metadata.verdictOfGpt4, { pass: ['1'], fail: ['2'] })
 */
export function recorded(source: string | ((context: JudgmentContext) => unknown), options?: RecordedOptions): Judge {
  const given = checkOptions<RecordedOptions>('recorded', options, recordedRules)
  if (typeof source !== 'string' && typeof source !== 'function')
    optionInvalid('source', `recorded: give a name or a function, not ${printed(source)}.`)
  const name = given.name ?? (typeof source === 'string' ? source : infoOf(source as Judge).name)
  const said =
    typeof source === 'string' ? ({ metadata }: JudgmentContext) => answersIn(metadata, key).get(source) : source
  const read = answerReader(given)
  const judge: Judge = async (context) => {
    const answer = await said(context)
    if (answer !== undefined && answer !== null) return read(answer)
    const where =
      typeof source === 'string' && answersIn(context.metadata, key).size === 0 ? ': the item has no metadata.said' : ''
    return abstain(`no answer of ${name} is recorded${where}`)
  }
  const replay = withInfo(judge, { name, kind: 'deterministic', version: JSON.stringify(given) })
  if (typeof source === 'string') replays.add(replay)
  return replay
}

describeJudge<RecordedOptions & { readonly judge: string }>(recorded, {
  passes: 'the recorded answer of a judge is a pass',
  options: { judge: described(option.string, 'The name under which items keep the answers.'), ...recordedRules },
  required: ['judge'],
  make: ({ judge, ...options }) => recorded(judge, options),
})

/** Judges that replay recorded answers, also those with exchanged places if the items contain them. */
const replays = new WeakSet<object>()

/** Whether a judge replays the answers that items keep. */
export function isReplay(judge: Judge | Jury): boolean {
  return replays.has(judge)
}

function answerReader(options: RecordedOptions): (answer: unknown) => Judgment {
  const word = (text: string) => text.trim().toLowerCase()
  const passes = new Set(['pass', 'true', ...(options.pass ?? []).map(word)])
  const fails = new Set(['fail', 'false', ...(options.fail ?? []).map(word)])
  const categories =
    options.categories === 'any' ? null : new Map((options.categories ?? []).map((one) => [word(one), one]))

  function bare(answer: unknown, extras: Extras): Judgment {
    const { reasoning = `recorded: ${printed(answer)}`, ...rest } = extras
    const text =
      typeof answer === 'string' || typeof answer === 'boolean' || typeof answer === 'number' ? String(answer) : null
    if (text === null || text.trim() === '') return unreadable(answer)
    const key = word(text)
    const isDecided = key !== 'abstain' && key !== 'error'
    // A category is one even where it is called pass: its scorer compares words.
    if (categories === null ? isDecided : categories.has(key)) {
      const category = categories?.get(key) ?? text.trim()
      const extra = { ...rest, score: categorical(category, [category]) }
      return fails.has(key) ? fail(reasoning, extra) : pass(reasoning, extra)
    }
    if (passes.has(key)) return pass(reasoning, rest)
    if (fails.has(key)) return fail(reasoning, rest)
    if (!isDecided) return key === 'abstain' ? abstain(reasoning, rest) : error(reasoning, undefined, rest)
    return numberJudgment(text, options, { ...rest, reasoning }) ?? unreadable(answer)
  }

  return function read(answer) {
    if (!isPlainObject(answer)) return bare(answer, {})
    if ('status' in answer && 'checks' in answer) return judgmentFromJson(answer)
    return bare(answer.said ?? answer.status, extrasOf(answer))
  }
}

interface Extras {
  readonly reasoning?: string
  readonly costUsd?: number
  readonly usage?: Usage
  readonly metadata?: { readonly [key: string]: unknown }
}

/** Optional facts recorded beside an answer; constructors of judgments check the values. */
function extrasOf({ reasoning, costUsd, usage, confidence }: Readonly<Record<string, unknown>>): Extras {
  return {
    ...(typeof reasoning === 'string' && reasoning.trim() !== '' ? { reasoning } : {}),
    ...(costUsd === undefined || costUsd === null ? {} : { costUsd: costUsd as number }),
    ...(usage === undefined || usage === null ? {} : { usage: usage as Usage }),
    ...(confidence === undefined || confidence === null ? {} : { metadata: { confidence } }),
  }
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

function numberJudgment(
  text: string,
  { range, passingAt = 0.5 }: RecordedOptions,
  extras: Extras,
): Judgment | undefined {
  if (!decimal.test(text.trim())) return undefined
  return scored(numerical(Number(text), range), { ...extras, passingAt })
}

function unreadable(answer: unknown): Judgment {
  return error(
    `the recorded answer ${printed(answer)} cannot be read: give pass, fail, abstain, error or a number, or name its word in the options "pass", "fail" or "categories" of recorded`,
  )
}

/**
 * The metadata key under which items contain recorded answers of judges; a second key contains those with two places
 * exchanged.
 */
const key = 'said'
const exchangedKey = 'saidSwapped'

type Metadata = Readonly<Record<string, unknown>>

/** The judges whose answers items keep, in the order in which they appear. */
export function recordedNames(items: readonly Pick<DatasetItem, 'metadata'>[]): readonly string[] {
  return [...new Set(items.flatMap(({ metadata }) => [...answersIn(metadata, key).keys()]))]
}

/** Whether items contain recorded answers with two places exchanged. */
export function hasExchanged(items: readonly Pick<DatasetItem, 'metadata'>[]): boolean {
  return items.some(({ metadata }) => answersIn(metadata, exchangedKey).size > 0)
}

/** The context in which recorded judges replay the answers with two places exchanged. */
export function exchangedContext(context: JudgmentContext): JudgmentContext {
  const { metadata } = context
  const rest = Object.entries(metadata).filter(([name]) => name !== key && !name.startsWith(`${key}.`))
  const said = Object.fromEntries(answersIn(metadata, exchangedKey))
  return { ...context, metadata: { ...Object.fromEntries(rest), [key]: said } as JsonObject }
}

function answersIn(metadata: Metadata, under: string): ReadonlyMap<string, unknown> {
  const whole = Object.hasOwn(metadata, under) ? recordOf(metadata[under]) : {}
  const columns = Object.entries(metadata).flatMap(([name, value]) =>
    name.startsWith(`${under}.`) && value !== '' ? [[name.slice(under.length + 1), value] as const] : [],
  )
  return new Map([...Object.entries(whole), ...columns])
}

/** A cell of a table holds its record as JSON. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isPlainObject(value)) return value
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return {}
  try {
    return recordOf(JSON.parse(value))
  } catch {
    return {}
  }
}
