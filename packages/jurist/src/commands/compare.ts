import { type Json, JuristError } from '@jurist/core'
import {
  type CompareOptions,
  type Comparison,
  compare as compareRuns,
  detectRegressions,
  type UsedByOne,
} from '@jurist/experiment/compare'
import { isDoubted, runScan, suspectsText } from '@jurist/experiment/internal/journal'
import {
  type ConditionDifference,
  itemsOf,
  noBehaviour,
  readBehaviour,
  readUndecidedJudges,
} from '@jurist/experiment/internal/results'
import {
  type FlagValues,
  flag,
  oneOf,
  optional,
  repeatable,
  text,
  toggle,
  usageInvalid,
  whole,
} from '@jurist/experiment/plugin'
import { comparisonReport } from '@jurist/experiment/report'
import type { RunResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { checkOutputFile } from '../command-kit/files.js'
import { findRun } from '../command-kit/find-run.js'
import { allowAbstainFlag } from '../command-kit/gate-flags.js'
import { ended, type Host } from '../command-kit/host.js'
import { type FailOn, failOnValues, gateOf, neverJudged, weaknessOf } from '../command-kit/regression-gate.js'
import { printReport, type ReportPlace, reportFlags, writeReport } from '../command-kit/report-formats.js'
import { type Results, resultsOf, scansKept } from '../command-kit/results-store.js'
import { defined, keyedRate, marginPoints, rate, type Subcommand, subcommand } from '../command-kit/subcommand.js'
import { unknownAmong } from '../config/problems.js'

const maxLength = 40

/**
 * Explains why two runs are not compared: every condition that differs, and the flag that allows the comparison.
 *
 * @param ignored conditions that `--ignore-conditions` already names
 */
function refusedConditions(
  differences: readonly ConditionDifference[],
  baseline: RunResult,
  candidate: RunResult,
  ignored: readonly string[] = [],
): string {
  const open = differences.filter(({ allowed }) => !allowed)
  const width = Math.max(...open.map(({ condition }) => condition.length))
  const lines = open.map((difference) => {
    const { condition } = difference
    return `  ${safeLine(condition).padEnd(width)}  ${differenceText(difference, baseline, candidate)}`
  })
  const names = [...new Set([...ignored, ...open.map(({ condition }) => condition)])].join(',')
  return [
    'The two runs were not measured alike, so their difference would mean nothing.',
    '',
    ...lines,
    '',
    `Nothing was compared. Compare anyway with --ignore-conditions ${names}, or name with --vary what differs on purpose.`,
  ].join('\n')
}

function differenceText(
  { condition, baseline: before, candidate: after, reason }: ConditionDifference,
  baseline: RunResult,
  candidate: RunResult,
): string {
  if (reason === 'undeclared') return `declared only by ${before === null ? candidate.id : baseline.id}`
  const both = `${shown(before)} and ${shown(after)}`
  if (condition !== 'jury') return both
  return `${both}; judge the older run again: ${commandLine('rejudge', baseline.id, '--jury', 'NAME')}`
}

/** Formats a value for a message. Long values, such as fingerprints, are truncated. */
function shown(value: Json): string {
  if (value === null) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = safeLine(text)
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe
}

const changes = ['regressed', 'improved', 'scores-moved', 'changed'] as const

const failOnName = oneOf([...failOnValues, 'behaviour'])
/** A gate on scores, `behaviour`, or `tools=` with names. */
const failOn = Object.assign(
  (given: string, name: string): string => (/^tools=[^,]+(?:,[^,]+)*$/.test(given) ? given : failOnName(given, name)),
  { values: failOnName.values },
)

const flags = {
  tolerance: repeatable('--tolerance <n>', 'ignore score differences up to n, or key=n for one score', tolerance),
  alpha: flag('--alpha <n>', 'the significance level (default: 0.05)', rate),
  minimumPairs: flag('--minimum-pairs <n>', 'with fewer pairs the data are insufficient (default: 10)', whole(1)),
  resamples: flag('--resamples <n>', 'resamples of the bootstrap (default: 10000)', whole(1)),
  seed: flag('--seed <n>', 'the seed of the bootstrap (default: 1)', whole(0)),
  vary: repeatable('--vary <condition>', 'a condition that differs on purpose', text),
  ignoreConditions: optional(
    '--ignore-conditions [names]',
    'compare although these conditions differ, separated by commas (default: all)',
    (names) => names.split(',').flatMap((name) => name.trim() || []),
  ),
  sequential: toggle('--sequential', 'of runs that may grow: evidence that holds however often they are compared'),
  margin: flag('--margin <points>', 'with --sequential: whether it is not worse by more than this', marginPoints),
  failOn: flag(
    '--fail-on <what>',
    `when to exit with code 1: ${failOnValues.join(', ')}; behaviour: a tool or host is new or gone; tools=a,b: one of these is (default: never)`,
    failOn,
    { default: 'never' },
  ),
  allowAbstain: allowAbstainFlag(),
  maxDrop: repeatable('--max-drop <key=n>', 'the maximum drop of a score on an item', keyedRate),
  only: flag('--only <change>', `only these items: ${changes.join(', ')}`, oneOf(changes)),
  ...reportFlags,
} as const

export const compare: Subcommand = subcommand({
  arguments: [
    ['<baseline>', 'a run, as for jurist show'],
    ['<candidate>', 'the run that is compared with it'],
  ],
  flags,
  examples: [
    'compare add-readme@control add-readme@knowledge',
    'compare add-readme@baseline add-readme --fail-on significant -o report.md',
  ],
  check({ tolerance, sequential, margin }, problem) {
    if (margin !== undefined && !sequential) problem('--margin', '--margin needs --sequential. Add it.')
    if (tolerance.length > 1 && tolerance.some((one) => typeof one === 'number'))
      problem('--tolerance', 'Several --tolerance must be key=n, such as rules/build=0.1.')
  },
  async run(host, [baseline, candidate], given) {
    if (given.output !== undefined) await checkOutputFile(host, '--output', given.output)
    const results = await resultsOf(host)
    const before = await findRun(results, baseline, host.cwd)
    const after = await findRun(results, candidate, host.cwd)
    const options = optionsFrom(given)
    refuseUnknownConditions(before, after, options)
    const scored = await withLabels(host, results, compared(before, after, options), before, after)
    const whole = { ...scored, behaviour: await behaviourBetween(results, before, after) }
    const maxDrop = Object.fromEntries(given.maxDrop)
    refuseUnknownScores(whole, Object.keys(maxDrop))
    const dropped = detectRegressions(whole, maxDrop)
    const comparison = only(whole, given.only)
    const report = { document: comparison, text: (place: ReportPlace) => comparisonReport(comparison, place) }
    printReport(host, given.format, report)
    for (const line of await suspectPasses(results, before, after)) host.note(line)
    const scoreGate =
      given.failOn === 'behaviour' || given.failOn.startsWith('tools=') ? 'never' : (given.failOn as FailOn)
    const judges = given.failOn === 'never' ? [] : await readUndecidedJudges(after, given.allowAbstain)
    const reasons = [
      ...neverJudged(judges),
      ...gateOf(whole, scoreGate, given.alpha),
      ...behaviourGate(whole, given.failOn),
      ...dropped.map(({ itemId }) => `${itemId} dropped by more than --max-drop allows`),
    ]
    for (const reason of reasons) host.terminal.err(`${host.terminal.style.red('Missed')}: ${safeBlock(reason)}\n`)
    const weak = reasons.length > 0 ? undefined : weaknessOf(whole, before, scoreGate, given.alpha)
    if (weak !== undefined) host.note(`warning: ${weak} or --max-drop`)
    const isWritten = await writeReport(host, given.output, report)
    return ended(host, !isWritten ? 3 : reasons.length > 0 ? 1 : 0)
  },
})

/** How many passes of each run the last scan found suspect, where any is. They count as passes. */
async function suspectPasses(results: Results, before: RunResult, after: RunResult): Promise<readonly string[]> {
  const scans = await scansKept(results, [before, after])
  if (!Object.values(scans).some(({ findings }) => findings.some(isDoubted))) return []
  const [baseline, candidate] = [before, after].map((run) => {
    const kept = scans[run.id]
    return kept === undefined ? 'not scanned' : suspectsText(runScan(run, kept))
  })
  return [`Baseline: ${baseline}. Candidate: ${candidate}. Look: ${commandLine('scan', after.id)}`]
}

/** The differences in the agents' actions, from the journals; `undefined` where no agent ran. */
async function behaviourBetween(results: Results, before: RunResult, after: RunResult) {
  if (before.kind === 'judge' || after.kind === 'judge') return undefined
  const { recordedEvents } = await import('./show/trial-evidence.js')
  return readBehaviour(before, after, itemsOf, (run, item) => recordedEvents(results, run, item))
}

/** The reasons why the behaviour does not pass its gate. What cannot be looked at does not pass. */
function behaviourGate({ behaviour }: Comparison, given: string): readonly string[] {
  if (given !== 'behaviour' && !given.startsWith('tools=')) return []
  if (behaviour === null || behaviour === undefined) return [`${noBehaviour} (--fail-on ${given})`]
  const wanted =
    given === 'behaviour'
      ? null
      : new Set(
          given
            .slice('tools='.length)
            .split(',')
            .map((one) => one.trim()),
        )
  const isWanted = ({ kind, name }: UsedByOne) =>
    wanted === null ? kind !== 'argument' : kind === 'tool' && wanted.has(name)
  return [
    ...behaviour.added.filter(isWanted).map(({ kind, name }) => `the ${kind} ${name} is new (--fail-on ${given})`),
    ...behaviour.gone.filter(isWanted).map(({ kind, name }) => `the ${kind} ${name} is gone (--fail-on ${given})`),
  ]
}

/** Adds the difference of true pass rates, where both runs have labels. */
async function withLabels(host: Host, results: Results, comparison: Comparison, before: RunResult, after: RunResult) {
  const { labelsKept } = await import('./label/label-pass.js')
  const [baseline, candidate] = await Promise.all([before, after].map((run) => labelsKept(host, results, run)))
  if (!baseline?.length || !candidate?.length) return comparison
  const { estimateDifference } = await import('@jurist/experiment/label')
  const byLabels = estimateDifference(before, after, { baseline, candidate })
  return byLabels === null ? comparison : { ...comparison, byLabels }
}

type CompareFlags = FlagValues<typeof flags>

/** `0.1` for every score, or `rules/build=0.1` for one. */
function tolerance(given: string, name: string): number | readonly [key: string, rate: number] {
  return given.includes('=') ? keyedRate(given, name) : rate(given, name)
}

function optionsFrom(given: CompareFlags): CompareOptions {
  const { alpha, minimumPairs, resamples, seed, vary, ignoreConditions, sequential, margin } = given
  const [first] = given.tolerance
  const keyed = given.tolerance.filter((one) => typeof one !== 'number')
  return defined({
    tolerance: typeof first === 'number' ? first : keyed.length === 0 ? undefined : Object.fromEntries(keyed),
    alpha,
    minimumPairs,
    resamples,
    seed,
    vary: vary.length === 0 ? undefined : vary,
    sequential: sequential || undefined,
    margin,
    ignoreConditions,
  })
}

/** Compares two runs. The error for runs with different conditions names the flags that allow the comparison. */
export function compared(baseline: RunResult, candidate: RunResult, options: CompareOptions): Comparison {
  try {
    return compareRuns(baseline, candidate, options)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    const { ignoreConditions } = options
    const ignored = Array.isArray(ignoreConditions) ? ignoreConditions : []
    const message = refusedConditions(thrown.details.differences, baseline, candidate, ignored)
    throw new JuristError('conditions-differ', message, thrown.details, { cause: thrown })
  }
}

/** Refuses unknown conditions: a misspelt one would have no effect. */
function refuseUnknownConditions(
  baseline: RunResult,
  candidate: RunResult,
  { vary = [], ignoreConditions = [] }: CompareOptions,
): void {
  const known = [...new Set([...Object.keys(baseline.conditions), ...Object.keys(candidate.conditions)])]
  const named = { '--vary': vary, '--ignore-conditions': Array.isArray(ignoreConditions) ? ignoreConditions : [] }
  for (const [flag, names] of Object.entries(named)) {
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw usageInvalid(flag, `Neither run has the condition "${unknown}".${unknownAmong(unknown, known)}`)
  }
}

/** Refuses limits for scores that no item has in both runs: they could never fail. */
function refuseUnknownScores({ items }: Comparison, limited: readonly string[]): void {
  if (limited.length === 0) return
  const known = [...new Set(items.flatMap(({ scoreDeltas }) => Object.keys(scoreDeltas)))]
  const missing = limited.find((key) => !known.includes(key))
  if (missing !== undefined)
    throw usageInvalid('--max-drop', `No item has the score "${missing}" on both sides.${unknownAmong(missing, known)}`)
}

function only(comparison: Comparison, change: CompareFlags['only']): Comparison {
  if (change === undefined) return comparison
  const items = comparison.items.filter((item) =>
    change === 'changed' ? item.change !== 'unchanged' : item.change === change,
  )
  return { ...comparison, items }
}
