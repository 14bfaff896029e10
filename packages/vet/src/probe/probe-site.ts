import type { AgentTask, Workspace, WritableWorkspace } from '@jurist/core'
import { toolchains } from './known-toolchains.js'
import type { Probe, ProbeSite } from './probe.js'

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
