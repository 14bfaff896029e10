import { type ExperimentOptions, type Plan, planExperiment, type ShardOptions } from '@jurist/experiment'
import { counted } from '@jurist/experiment/internal/results'
import { dollars } from '@jurist/experiment/result'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import type { ExitCode } from './failure-report.js'
import type { Host } from './host.js'
import { variantsOf } from './perform-run.js'
import type { RunFlags } from './run-flags.js'
import { shardOptions } from './shard-flags.js'

/** `run --dry-run`: prints what would run. Exit code 2 when the dataset has errors. */
export async function dryRun(host: Host, experiments: readonly ExperimentOptions[], read: RunFlags): Promise<ExitCode> {
  const shard = await shardOptions(host, read)
  const plans = (await Promise.all(experiments.map((experiment) => plansOf(experiment, read, shard)))).flat()
  if (host.flags.json === true) host.json({ plans })
  else for (const plan of plans) host.terminal.out(`${planText(plan)}\n`)
  return plans.some(({ problems }) => problems.some(({ severity }) => severity === 'error')) ? 2 : 0
}

interface NamedPlan extends Plan {
  readonly experimentName: string
  readonly variant: string | null
}

async function plansOf(
  experiment: ExperimentOptions,
  read: RunFlags,
  shard: ShardOptions | undefined,
): Promise<readonly NamedPlan[]> {
  const part = shard === undefined ? {} : { shard }
  const variants = variantsOf(experiment, read)
  const names: readonly (string | null)[] = variants.length === 0 ? [null] : variants
  return Promise.all(
    names.map(async (variant) => {
      const plan = await planExperiment<string>(experiment, { ...part, ...(variant === null ? {} : { variant }) })
      return { experimentName: experiment.name, variant, ...plan }
    }),
  )
}

const maxItems = 20

function planText({ experimentName, variant, items, trials, problems, conditions, ...estimate }: NamedPlan): string {
  const ids = [...new Set(items.map(({ itemId }) => itemId))]
  const more = ids.length > maxItems ? `, and ${ids.length - maxItems} more` : ''
  const [first] = items
  return [
    `${experimentName}${variant === null ? '' : `  ${variant}`}   dry run: ${counted(trials, 'trial')}, nothing was run`,
    '',
    `  Items       ${ids.slice(0, maxItems).map(safeLine).join(', ')}${more}`,
    ...(first === undefined
      ? []
      : [`  First prompt`, `    ${safeBlock(first.prompt).trimEnd().replaceAll('\n', '\n    ')}`]),
    `  Conditions  ${safeLine(JSON.stringify(conditions))}`,
    estimate.estimatedCostUsd === null
      ? '  Cost        unknown: no earlier run with a declared cost'
      : `  Cost        about ${dollars(estimate.estimatedCostUsd)}, from run ${estimate.estimateFrom}`,
    ...problems.map(({ severity, file, field, problem, remedy }) =>
      safeLine(`  ${severity}: ${file}${field === null ? '' : ` ${field}`}: ${problem} ${remedy}`),
    ),
    '',
  ].join('\n')
}
