import { type Interval, scoreMeans } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import { count, counted, dollars, duration, namedInterval, percent, unknown } from '../amounts.js'
import { type Figure, Figures } from '../figures.js'

/** The figures of a run, each with what it rests on. */
export function RunFigures({ document: { run, failedByError } }: { readonly document: RunDocument }): JSX.Element {
  return (
    <Figures
      figures={[
        ...ratesOf(run),
        ...meansOf(run),
        ...failuresOf(run, failedByError),
        costOf(run),
        tokensOf(run),
        timeOf(run),
      ]}
    />
  )
}

type Run = RunDocument['run']

/** `95 %: 21.0 to 100.0 %, Wilson`. */
export function intervalText(interval: Interval | null): string {
  return interval === null ? 'no interval' : namedInterval(interval)
}

function ratesOf({ passRate, passRateOfAll, passRateInterval, counts, flakyItems, passAtK }: Run): readonly Figure[] {
  const largest = passAtK.at(-1)
  return [
    {
      name: `Passed ${count(counts.passes)} of ${count(counts.decided)} decided`,
      value: percent(passRate),
      basis: intervalText(passRateInterval),
    },
    {
      name: `Of ${count(counts.planned)} planned`,
      value: percent(passRateOfAll),
      basis: [
        counts.undecided > 0 ? `${count(counts.undecided)} undecided` : '',
        counts.notRun > 0 ? `${count(counts.notRun)} not run` : '',
      ]
        .filter((text) => text !== '')
        .join(', '),
    },
    ...(largest === undefined || largest.k < 2
      ? []
      : [
          {
            name: `pass@${largest.k}`,
            value: percent(largest.passAtK),
            basis: `over ${counted(largest.items, 'item')}; pass^${largest.k} ${percent(largest.passHatK)}, ${count(flakyItems.length)} flaky`,
          },
        ]),
  ]
}

/** Only where judges broke: such a fail says nothing about the agent. */
function failuresOf({ counts }: Run, failedByError: number): readonly Figure[] {
  if (failedByError === 0) return []
  const name = `Failed, of ${count(counts.decided)} decided`
  return [{ name, value: count(counts.fails), basis: `${count(failedByError)} because judges broke` }]
}

/** Means of scores that are more than passes and fails, with their standard errors. */
function meansOf({ scores }: Run): readonly Figure[] {
  return scoreMeans(scores)
    .slice(0, mostMeans)
    .map(({ name, mean, basis }) => ({ name: `Mean of ${name}`, value: mean, basis }))
}

const mostMeans = 4

function costOf({ costUsd, judgeCostUsd, unpricedTrials }: Run): Figure {
  const unpriced = unpricedTrials > 0 ? `, ${count(unpricedTrials)} unpriced` : ''
  return { name: 'Cost of agents', value: dollars(costUsd), basis: `judges ${dollars(judgeCostUsd)}${unpriced}` }
}

function tokensOf({ usage }: Run): Figure {
  const { inputTokens, outputTokens, cacheReadTokens } = usage ?? {}
  const cached =
    inputTokens === undefined || cacheReadTokens === undefined || inputTokens === 0
      ? ''
      : `, ${percent(cacheReadTokens / inputTokens)} cached`
  return {
    name: 'Tokens in',
    value: count(inputTokens),
    basis: outputTokens === undefined ? '' : `${count(outputTokens)} out${cached}`,
  }
}

function timeOf({ agentMs, durationMs }: Run): Figure {
  return {
    name: 'Agent, median',
    value: agentMs === null ? unknown : duration(agentMs.median),
    basis: `p95 ${duration(agentMs?.p95)}, ${duration(durationMs)} in all`,
  }
}
