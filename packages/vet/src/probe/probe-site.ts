import type { AgentTask, Workspace, WritableWorkspace } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { lookAtItems } from '../derived-experiment.js'
import type { References } from '../reference-agent.js'
import type { Probe, ProbeSite } from './probe.js'
import { toolchains } from './tricks.js'

/** What belongs to tools and not to the task. */
const left = /(?:^|\/)(?:node_modules|\.git|\.hg|\.venv|venv|__pycache__|target|\.gradle|\.tox)(?:\/|$)/
/** The most files that are looked at. */
const mostFiles = 20_000

/** What of a trial a site is made of. */
export interface SiteFacts {
  readonly itemId: string
  readonly task: AgentTask
  /** In which the probe works. */
  readonly workspace: WritableWorkspace
  readonly reference: Workspace | null
  readonly asksModels: boolean
  /** Default: what is found is dropped. */
  readonly found?: (what: string) => void
}

/** The site of a probe, with what is found in the workspace. */
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

/** The site as a probe may see it: only those that fit the visible answers or look for the answer know the right one. */
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

/** What a survey needs. */
interface SurveyParts {
  readonly experiment: ExperimentOptions
  readonly dataset: ExperimentOptions['dataset']
  readonly probes: readonly Probe[]
  readonly references: References
  readonly asksModels: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Which probes can be tried on which item: an agent looks into the workspace of each item, as the agent under test would get
 * it, and nothing is judged or stored.
 *
 * @returns the names of the probes by item; an item whose workspace cannot be made is missing
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
      // One that cannot say so is tried, so that its error is seen.
      const applies = await Promise.resolve(probe.applies(siteFor(probe, site))).catch(() => true)
      if (applies) applicable.push(probe)
    }
    found.set(itemId, applicable)
  })
  return found
}
