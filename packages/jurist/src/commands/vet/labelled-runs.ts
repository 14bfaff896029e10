import type { ExperimentOptions } from '@jurist/experiment'
import { currentLabels } from '@jurist/experiment/label'
import { storedContext } from '@jurist/experiment/rejudge'
import type { LabelledRun } from '@jurist/vet'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { defined } from '../../command-kit/subcommand.js'
import { labelsKept } from '../label/label-pass.js'

const mostUnlabelled = 10

/**
 * Returns the runs of an experiment in which people labelled a trial right, and its newest runs with failed trials, the
 * oldest first.
 */
export async function labelledRuns(
  host: Host,
  results: Results,
  { name }: Pick<ExperimentOptions, 'name'>,
): Promise<readonly LabelledRun[]> {
  const found: LabelledRun[] = []
  let unlabelled = 0
  for await (const { id, experimentName } of results.store.list({ experimentName: name, kind: 'agent' })) {
    const labels = await labelsKept(host, results, { id, experimentName })
    const isLabelled = currentLabels(labels).some(({ label }) => label === 'pass')
    if (!isLabelled && unlabelled >= mostUnlabelled) continue
    const run = await results.store.load(id)
    if (run === undefined) continue
    if (!isLabelled) unlabelled += 1
    const context = storedContext(defined({ resultsDirectory: await results.filesOf(run) }))
    found.unshift({ run, labels, context })
  }
  return found
}
