import { flatten } from '@jurist/core'
import { counted } from './amounts.js'
import { type RunResult, trialsOf } from './trial-figures.js'

/** The text that the reason of such a trial contains, for runs of which only the figures are read. */
const said = 'the tests cannot fail in this workspace'

/** How many trials failed because their tests passed whatever they expected; `''` for none. */
export function testsCannotFailText(run: RunResult): string {
  const count = trialsOf(run).filter((trial) =>
    'verdict' in trial
      ? trial.verdict !== null &&
        flatten(trial.verdict).some(({ judgment }) =>
          judgment.checks.some(({ name, passed }) => name === 'canary' && !passed),
        )
      : trial.reason.includes(said),
  ).length
  if (count === 0) return ''
  const [were, their] = count === 1 ? ['was', 'its'] : ['were', 'their']
  return `${counted(count, 'trial')} ${were} judged fail because ${their} tests could not fail`
}
