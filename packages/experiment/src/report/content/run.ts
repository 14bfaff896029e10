import { totalCost } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import { right } from '@jurist/kit/terminal'
import { counted, dollars, duration, grouped, namedInterval, percent, score, three } from '../../result/amounts.js'
import { countedTrials, quarantineOf, quarantineText } from '../../result/quarantine.js'
import type { ExperimentResult, ItemResult } from '../../result/records.js'
import { passAtKText, passHatKText } from '../../result/repeated.js'
import { scoreMeansText } from '../../result/scores.js'
import { type AlikeTrials, alikeTrials } from '../../result/similar-failures.js'
import { tokensOf } from '../../result/spending.js'
import { takenTogether, trialKey, trialsOf, trialText } from '../../result/trial-figures.js'
import {
  environmentText,
  failureText,
  outcomeOf,
  testsCannotFailText,
  undecidedText,
} from '../../result/trial-outcome.js'
import { undecidedJudgeLine, undecidedJudges } from '../../result/undecided-judges.js'
import { userFaultsText } from '../../result/user-faults.js'
import { type ColumnOf, type Details, lineSection, type Section, valuesSection } from '../sections.js'
import { failureBlocks } from './evidence.js'

/** Trials whose tests could not fail, and what judges left undecided, of several runs with their names. */
export function judgedSection(results: readonly ExperimentResult[]): readonly Section[] {
  const lines = results.flatMap((result) =>
    undecidedJudges(result).map((judge) => {
      const line = undecidedJudgeLine(judge)
      return results.length === 1 ? line : `${runName(result)}: ${line}`
    }),
  )
  return [...cannotFailSection(results), ...lineSection('Judges that decided too little', lines)]
}

function cannotFailSection(results: readonly ExperimentResult[]): readonly Section[] {
  const lines = results.flatMap((result) => {
    const text = testsCannotFailText(result)
    return text === '' ? [] : results.length === 1 ? text : `${runName(result)}: ${text}`
  })
  return lineSection('Tests that could not fail', lines)
}

/** The figures of a run: pass rate, cost, the mean score of each judge, and the differences between buckets. */
export function figureSections(result: ExperimentResult): readonly Section[] {
  return [
    ...valuesSection('Figures', figuresOf(result), [
      ['Figure', ({ name }) => name],
      ['Value', ({ value }) => value],
    ]),
    ...scoreSection('Scores', result.scores),
    ...scoreSection('Efficiency', result.efficiency),
    ...bucketSection(result),
  ]
}

/** Trials that did not pass, those of similar reasons in one row; `most` rows. */
export function failureSection(result: ExperimentResult, most: number): readonly Section[] {
  const groups = alikeTrials(countedTrials(result))
  const left = groups.slice(most).reduce((sum, { trials }) => sum + trials.length, 0)
  return valuesSection(
    'Did not pass',
    groups.slice(0, most),
    [
      ['Trial', namesOf],
      ['Outcome', ({ outcome }) => outcome],
      ['Reason', ({ reason }) => reason],
    ],
    left === 0 ? [] : [`${counted(left, 'further trial')} not shown.`],
  )
}

const mostTrials = 3

function namesOf({ trials }: AlikeTrials): string {
  const names = trials.slice(0, mostTrials).map(trialText)
  const left = trials.length - names.length
  return `${trials.length === 1 ? '' : `${grouped(trials.length)} trials: `}${names.join(', ')}${left === 0 ? '' : ' and others'}`
}

/** The evidence of trials that did not pass: for each of the first `most` groups of similar failures, its first trial. */
export function failureDetails(result: ExperimentResult, most: number): readonly Details[] {
  const byName = new Map(result.items.map((item) => [trialKey(item), item]))
  return alikeTrials(countedTrials(result))
    .slice(0, most)
    .flatMap(({ reason, trials: [first] }) => {
      const item = first === undefined ? undefined : byName.get(trialKey(first))
      const blocks = item === undefined ? [] : failureBlocks(item)
      if (item === undefined || blocks.length === 0) return []
      return [{ summary: `${trialText(item)}: ${reason}`, blocks }]
    })
}

/** Every item with its outcomes, scores, cost and time. */
export function itemSection(result: ExperimentResult, keys: readonly string[]): readonly Section[] {
  const passes = (trials: readonly ItemResult[]) => trials.filter(({ passed }) => passed === true).length
  return valuesSection(
    'Items',
    [...groupBy(result.items, ({ itemId }) => itemId)],
    [
      ['Item', ([id]) => (quarantineOf(result, id) === undefined ? id : `${id} (quarantine)`)],
      ['Passed', ([, of]) => (of.length === 1 ? of.map(outcomeOf).join('') : `${passes(of)} of ${of.length}`)],
      ...keys.map((key): ColumnOf<readonly [string, readonly ItemResult[]]> => {
        return [right(key), ([, trials]) => score(meanScore(trials, key))]
      }),
      [right('Cost'), ([, trials]) => dollars(totalCost(trials.map(({ costUsd }) => costUsd)) ?? null)],
      [right('Time'), ([, trials]) => duration(takenTogether(trials))],
    ],
  )
}

function scoreSection(title: string, scores: ExperimentResult['scores']): readonly Section[] {
  return valuesSection(title, Object.entries(scores), [
    ['Name', ([key]) => key],
    [right('Mean'), ([, { mean }]) => three(mean)],
    [right('± SE'), ([, { standardError }]) => three(standardError)],
    [right('Min'), ([, { min }]) => score(min)],
    [right('Max'), ([, { max }]) => score(max)],
    [right('n'), ([, { n }]) => grouped(n)],
    [right('Missing'), ([, { missing }]) => grouped(missing)],
  ])
}

function bucketSection({ byBucket }: ExperimentResult): readonly Section[] {
  const buckets = Object.entries(byBucket)
  if (buckets.length < 2) return []
  return valuesSection('Buckets', buckets, [
    ['Bucket', ([bucket]) => (bucket === '' ? '(none)' : bucket)],
    [right('Pass rate'), ([, { passRate }]) => percent(passRate)],
    [right('Passes'), ([, { counts }]) => grouped(counts.passes)],
    [right('Fails'), ([, { counts }]) => grouped(counts.fails)],
    [right('Undecided'), ([, { counts }]) => grouped(counts.undecided)],
  ])
}

/** One figure of a run: its name and its value, each rate with its denominator. Plain text. */
interface Figure {
  readonly name: string
  readonly value: string
}

/** The figures of a run that every report shows. */
function figuresOf(result: ExperimentResult): readonly Figure[] {
  return [
    ...passFigures(result),
    ...repeatedFigures(result),
    ...scoreFigures(result),
    { name: 'Agents', value: spent(result.costUsd, tokensOf(result.usage)) },
    { name: 'Judges', value: spent(result.judgeCostUsd, tokensOf(result.judgeUsage)) },
    ...(result.userFaults === null
      ? []
      : [{ name: 'Users', value: spent(result.userCostUsd, tokensOf(result.userUsage)) }]),
    ...(result.unpricedTrials === 0
      ? []
      : [{ name: 'Unpriced', value: `${counted(result.unpricedTrials, 'trial')} without a declared cost` }]),
    { name: 'Time', value: timeOf(result) },
  ]
}

/** Both pass rates, the second one where trials are in no rate, and how the others failed. */
function passFigures(result: ExperimentResult): readonly Figure[] {
  const { counts, passRate, passRateOfAll, passRateInterval } = result
  const trials = countedTrials(result)
  const quarantine = quarantineText(result)
  const failed = failureText(trials)
  const machine = environmentText(trials, result.id)
  const users = userFaultsText(result.userFaults)
  const interval = passRateInterval === null ? '' : `; ${namedInterval(passRateInterval)}`
  const decided = `${grouped(counts.passes)} of ${grouped(counts.decided)}`
  const planned = `${grouped(counts.passes)} of ${grouped(counts.planned)}; ${undecidedText(trials, counts.planned)}`
  return [
    { name: 'Passed', value: `${percent(passRate)} of decided trials (${decided}${interval})` },
    ...(counts.decided === counts.planned
      ? []
      : [{ name: '', value: `${percent(passRateOfAll)} of planned trials (${planned})` }]),
    ...(quarantine === '' ? [] : [{ name: 'Quarantine', value: quarantine }]),
    ...(failed === '' ? [] : [{ name: 'Failed', value: failed }]),
    ...(users === '' ? [] : [{ name: 'User at fault', value: users }]),
    ...(machine === '' ? [] : [{ name: 'Machine', value: machine }]),
  ]
}

function repeatedFigures(result: ExperimentResult): readonly Figure[] {
  const { passAtK, flakyItems } = result
  if (passAtK.length === 0 || trialsOf(result).every(({ repetition }) => repetition === 1)) return []
  return [
    { name: 'pass@k', value: passAtKText(passAtK) },
    { name: 'pass^k', value: passHatKText(passAtK) },
    ...(flakyItems.length === 0 ? [] : [{ name: 'Flaky', value: named(flakyItems) }]),
  ]
}

/** Means with their standard errors, of scores that are more than passes and fails. */
function scoreFigures({ scores }: ExperimentResult): readonly Figure[] {
  const text = scoreMeansText(scores)
  return text === '' ? [] : [{ name: 'Scores', value: text }]
}

const mostNames = 20

function named(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ')
  return names.length > mostNames ? `${shown} and ${grouped(names.length - mostNames)} more` : shown
}

function spent(costUsd: number | null, tokens: number | null): string {
  const cost = costUsd === null ? 'no cost declared' : dollars(costUsd)
  return tokens === null ? cost : `${cost}, ${counted(tokens, 'token')}`
}

function timeOf({ agentMs, durationMs }: ExperimentResult): string {
  const whole = `${duration(durationMs)} on the clock`
  if (agentMs === null) return whole
  return `${whole}, ${duration(agentMs.total)} of agents (median ${duration(agentMs.median)}, p95 ${duration(agentMs.p95)})`
}

/** The mean of a score over trials that have it. */
function meanScore(trials: readonly ItemResult[], key: string): number | null {
  const scores = trials.flatMap((trial) => trial.scores[key] ?? [])
  return scores.length === 0 ? null : scores.reduce((sum, value) => sum + value, 0) / scores.length
}

/** The name of a run: its experiment, with its variant if it has one. */
export function runName({ experimentName, variant }: { experimentName: string; variant: string | null }): string {
  return variant === null ? experimentName : `${experimentName} @ ${variant}`
}
