import { counted, grouped, scoreMeans, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import { type Figure, Figures } from '../parts.js'
import { intervalText } from '../text.js'

/** The figures of a run, each with what it is based on. */
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

function ratesOf({ passRate, passRateOfAll, passRateInterval, counts, flakyItems, passAtK }: Run): readonly Figure[] {
  const largest = passAtK.at(-1)
  return [
    {
      name: `Passed ${grouped(counts.passes)} of ${grouped(counts.decided)} decided`,
      value: percent(passRate),
      basis: intervalText(passRateInterval),
    },
    {
      name: `Of ${grouped(counts.planned)} planned`,
      value: percent(passRateOfAll),
      basis: [
        counts.undecided > 0 ? `${grouped(counts.undecided)} undecided` : '',
        counts.notRun > 0 ? `${grouped(counts.notRun)} not run` : '',
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
            basis: `over ${counted(largest.items, 'item')}; pass^${largest.k} ${percent(largest.passHatK)}, ${grouped(flakyItems.length)} flaky`,
          },
        ]),
  ]
}

/** Fails caused by a judge's error, which say nothing about the agent; nothing without them. */
function failuresOf({ counts }: Run, failedByError: number): readonly Figure[] {
  if (failedByError === 0) return []
  const name = `Failed, of ${grouped(counts.decided)} decided`
  return [{ name, value: grouped(counts.fails), basis: `${grouped(failedByError)} because of errors in judges` }]
}

/** Means of scores other than pass and fail, with their standard errors. */
function meansOf({ scores }: Run): readonly Figure[] {
  return scoreMeans(scores)
    .slice(0, maxMeans)
    .map(({ name, mean, basis }) => ({ name: `Mean of ${name}`, value: mean, basis }))
}

const maxMeans = 4

function costOf({ costUsd, judgeCostUsd, unpricedTrials }: Run): Figure {
  const unpriced = unpricedTrials > 0 ? `, ${grouped(unpricedTrials)} unpriced` : ''
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
    value: grouped(inputTokens),
    basis: outputTokens === undefined ? '' : `${grouped(outputTokens)} out${cached}`,
  }
}

function timeOf({ agentMs, durationMs }: Run): Figure {
  return {
    name: 'Agent, median',
    value: agentMs === null ? unknown : duration(agentMs.median),
    basis: `p95 ${duration(agentMs?.p95)}, ${duration(durationMs)} in total`,
  }
}
