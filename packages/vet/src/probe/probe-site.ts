import type { AgentTask, Workspace, WritableWorkspace } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { lookAtItems } from '../derived-experiment.js'
import type { References } from '../reference-agent.js'
import type { Probe, ProbeSite } from './probe.js'
import { toolchains } from './tricks.js'

/** Directories that belong to tools rather than to the task. */
const left = /(?:^|\/)(?:node_modules|\.git|\.hg|\.venv|venv|__pycache__|target|\.gradle|\.tox)(?:\/|$)/
/** The maximum number of files in a site. */
const mostFiles = 20_000

export interface SiteFacts {
  readonly itemId: string
  readonly task: AgentTask
  /** The workspace in which the probe works. */
  readonly workspace: WritableWorkspace
  readonly reference: Workspace | null
  readonly asksModels: boolean
  /** Default: findings are dropped. */
  readonly found?: (what: string) => void
}

/** Builds the site of a probe by listing the files of the workspace. */
export async function probeSite({
  itemId,
  task,
  workspace,
  reference,
  asksModels,
  found = () => undefined,
}: SiteFacts): Promise<ProbeSite> {
  const { prompt, input = null, signal } = task
  const files = await filesOf(workspace, signal)
  const isTest = (path: string) => toolchains.some((one) => one.isTest(path))
  const isSource = (path: string) => toolchains.some((one) => one.isSource(path))
  const code = files.filter((path) => isTest(path) || isSource(path))
  return {
    workspace,
    itemId,
    prompt,
    input,
    files,
    tests: code.filter(isTest),
    sources: code.filter((path) => !isTest(path)),
    languages: toolchains
      .filter((one) => code.some((path) => one.isSource(path) || one.isTest(path)))
      .map(({ name }) => name),
    reference,
    asksModels,
    found,
    signal,
  }
}

/** Only probes that fit the visible tests or search for the answer may see the right answer. */
export function siteFor({ pattern }: Pick<Probe, 'pattern'>, site: ProbeSite): ProbeSite {
  return pattern === 'overfit' || pattern === 'leak' ? site : { ...site, reference: null }
}

async function filesOf(workspace: Workspace, signal: AbortSignal): Promise<readonly string[]> {
  const files: string[] = []
  for await (const { path, type } of workspace.list({ signal })) {
    if (type !== 'file' || left.test(path)) continue
    files.push(path)
    if (files.length >= mostFiles) break
  }
  return files
}

interface SurveyParts {
  readonly experiment: ExperimentOptions
  readonly dataset: ExperimentOptions['dataset']
  readonly probes: readonly Probe[]
  readonly references: References
  readonly asksModels: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Finds out which probes can be tried on which item. An agent inspects the workspace of each item in the state that the
 * agent under test would receive. Nothing is judged or stored.
 *
 * @returns the probes by item; an item whose workspace cannot be created is missing
 */
export async function survey({
  experiment,
  dataset,
  probes,
  references,
  asksModels,
  signal,
}: SurveyParts): Promise<ReadonlyMap<string, readonly Probe[]>> {
  const found = new Map<string, readonly Probe[]>()
  await lookAtItems({ experiment, dataset, references, signal }, async ({ itemId, task, reference }) => {
    const site = await probeSite({ itemId, task, workspace: task.workspace, reference, asksModels })
    const applicable: Probe[] = []
    for (const probe of probes) {
      // If `applies` throws, the probe is tried, so that its error is reported.
      const applies = await Promise.resolve(probe.applies(siteFor(probe, site))).catch(() => true)
      if (applies) applicable.push(probe)
    }
    found.set(itemId, applicable)
  })
  return found
}
