import {
  counted,
  grouped,
  type PairTest,
  paretoFront,
  points,
  pValue,
  rateBounds,
  type UndecidedJudge,
  type VariantFigures,
} from '@jurist/experiment/internal/results'
import { type DecidedStop, dollars, duration, percent } from '@jurist/experiment/result'
import { type Column, right, safeLine, textTable } from '@jurist/kit/terminal'
import { none } from './cells.js'
import { cannotFailLines, undecidedJudgeLines } from './run-report.js'
import type { Terminal } from './terminal.js'

export interface SessionFigures {
  readonly session: string
  readonly experimentName: string
  readonly variants: readonly VariantFigures[]
  readonly pairs: readonly PairTest[]
  /** Variants that stopped when they were decided. */
  readonly stopped: readonly ({ readonly variant: string } & DecidedStop)[]
  /** The places of the variants that are not worse than the best by a margin. */
  readonly notWorse?: { readonly margin: number; readonly places: readonly number[] }
  /** The judges that decided too few trials, for each run that has some. */
  readonly undecidedJudges: readonly { readonly run: string; readonly judges: readonly UndecidedJudge[] }[]
  /** The warning about trials whose tests pass regardless of their expectations, for each run that has some. */
  readonly testsCannotFail: readonly { readonly run: string; readonly text: string }[]
}

/** Formats a session: its variants, and the difference of every pair with its test. */
export function sessionReport(figures: SessionFigures, terminal: Terminal): string {
  const { session, experimentName, variants, undecidedJudges, testsCannotFail } = figures
  return [
    ...testsCannotFail.flatMap(({ run, text }) => cannotFailLines(text, terminal, run)),
    ...undecidedJudges.flatMap(({ run, judges }) => undecidedJudgeLines(judges, terminal, run)),
    `${terminal.style.bold(safeLine(experimentName))}   session ${safeLine(session)}   ${counted(variants.length, 'variant')}`,
    '',
    variantsTable(variants, terminal),
    ...pairLines(variants, figures.pairs, terminal),
    ...figures.stopped.map(
      ({ variant, after, planned, why }) =>
        `  ${safeLine(variant)} stopped early: decided after ${grouped(after)} of ${counted(planned, 'item')} (${why}).`,
    ),
    ...notWorseLines(figures),
    '',
    ...variants.map((one) => `  ${nameOf(one)}: ${terminal.command('show', one.id)}`),
    '',
  ].join('\n')
}

/** Formats the variants that are not worse than the best by the margin, the cheapest first. */
function notWorseLines({ variants, notWorse }: SessionFigures): readonly string[] {
  if (notWorse === undefined) return []
  const most = `${points(notWorse.margin).replace('+', '')} points`
  const found = notWorse.places
    .flatMap((place) => variants[place] ?? [])
    .toSorted((one, other) => (one.costPerTrialUsd ?? Infinity) - (other.costPerTrialUsd ?? Infinity))
  if (found.length === 0) return ['', `  No variant is shown to be not worse than the best by more than ${most}.`]
  const named = found.map((one) => `${nameOf(one)} (${percent(one.passRate)}, ${dollars(one.costPerTrialUsd)} a trial)`)
  return ['', `  Not worse than the best by more than ${most}, the cheapest first: ${named.join(', ')}.`]
}

function variantsTable(variants: readonly VariantFigures[], terminal: Terminal): string {
  const missing = none(terminal)
  const front = new Set(
    paretoFront(variants.map(({ costPerTrialUsd, passRate }) => ({ costUsd: costPerTrialUsd, passRate }))),
  )
  const isRepeated = variants.some(({ repeated }) => repeated !== null)
  const isSomeUnjudged = variants.some(({ counts }) => counts.undecided + counts.notRun > 0)
  const columns: readonly Column[] = [
    { title: 'VARIANT', shrinks: true },
    right('PASSED'),
    right('RATE'),
    right('95 % INTERVAL'),
    ...(isRepeated ? [right('pass^k', 2)] : []),
    ...(isSomeUnjudged ? [right('UNDECIDED'), right('NOT RUN')] : []),
    right('$/TRIAL'),
    right('AGENTS', 3),
    right('JUDGES', 3),
    right('MEDIAN', 4),
    { title: 'FRONT', shrinks: false, drops: 1 },
  ]
  const rows = variants.map((one, index) => [
    nameOf(one),
    `${grouped(one.counts.passes)}/${grouped(one.counts.decided)}`,
    percent(one.passRate, missing),
    one.passRateInterval === null ? missing : rateBounds(one.passRateInterval),
    ...(isRepeated ? [one.repeated === null ? missing : `k=${one.repeated.k} ${percent(one.repeated.passHatK)}`] : []),
    ...(isSomeUnjudged ? [grouped(one.counts.undecided), grouped(one.counts.notRun)] : []),
    dollars(one.costPerTrialUsd, missing),
    dollars(one.costUsd, missing),
    dollars(one.judgeCostUsd, missing),
    duration(one.agentMedianMs, missing),
    front.has(index) ? 'yes' : '',
  ])
  const table = textTable(columns, rows, { width: terminal.columns, indent: '  ' })
  const priced = variants.filter(({ costPerTrialUsd, passRate }) => costPerTrialUsd !== null && passRate !== null)
  return priced.length > 1 ? `${table}\n  FRONT: no other variant costs less and passes as much.` : table
}

/** Formats the differences of pass rates, with the clearest first. */
export function pairLines(
  variants: readonly VariantFigures[],
  pairs: readonly PairTest[],
  terminal: Terminal,
): readonly string[] {
  if (pairs.length === 0) return []
  const missing = none(terminal)
  const sorted = pairs.toSorted((one, other) => adjustedOf(one) - adjustedOf(other))
  const rows = sorted.map(({ first, second, passRate }) => [
    `${nameOf(variants[second])} less ${nameOf(variants[first])}`,
    passRate === null ? missing : `${points(passRate.delta)} points`,
    pValue(passRate?.permutation.pValue, missing),
    pValue(passRate?.permutation.adjustedPValue, missing),
    grouped(passRate?.items ?? 0),
  ])
  const columns: readonly Column[] = [
    { title: 'PASS RATE OF', shrinks: true },
    right('DIFFERENCE'),
    right('p'),
    right('p BY HOLM'),
    right('ITEMS'),
  ]
  return [
    '',
    textTable(columns, rows, { width: terminal.columns, indent: '  ' }),
    `  Sign-flip test of item means; Holm over ${counted(pairs.length, 'pair')}.`,
  ]
}

function adjustedOf({ passRate }: PairTest): number {
  return passRate?.permutation.adjustedPValue ?? 2
}

function nameOf(variant: VariantFigures | undefined): string {
  return safeLine(variant?.variant ?? variant?.id ?? '')
}
