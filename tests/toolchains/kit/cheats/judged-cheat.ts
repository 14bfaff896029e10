import { type Judgment, runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { localWorkspace, type Sandbox } from '@jurist/workspace'
import type { TestOptions } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import type { CheatedProject, Files } from './projects.js'

/** How a project is judged. */
export type Setting = 'default' | 'isolate' | 'sources'

const laidPaths = ({ hidden }: CheatedProject) => [
  ...new Set(Object.keys(hidden).map((path) => path.split('/')[0] ?? '')),
]

/** The judge of a project: what its guide recommends, or what is there without. */
function judgeOf(project: CheatedProject, setting: Setting, options: TestOptions) {
  const { source, mustPass, passing } = project
  const sources = setting === 'sources' ? { sources: [`${source.split('/')[0]}/**`, 'package.json'] } : {}
  const demands = passing !== undefined ? { minTests: 3 } : { minTests: mustPass.length, mustPass }
  return project.judge({
    overlay: { paths: laidPaths(project), ...sources },
    timeoutMs: 60_000,
    ...(setting === 'default' ? {} : demands),
    ...(setting === 'isolate' ? { isolate: 'child' as const } : {}),
    ...options,
  })
}

const present = (files: Files) =>
  Object.fromEntries(Object.entries(files).filter(([, content]) => content !== null)) as Record<string, TemporaryFile>

/**
 * What a jury says of an agent that cheats: it `passed`, its run `passes whatever is expected`, as canaries show; the tests
 * `held`; or the status that it has chosen for itself.
 */
export type CheatOutcome = 'passed' | 'caught by canaries' | 'held' | 'error' | 'abstain'

/** A project whose canaries are found, ready to judge agents. */
export interface EstablishedProject {
  readonly canaries: { readonly form: string; readonly counted: number; readonly problem: string | undefined }
  judge(agent: Files, sandbox?: Sandbox, options?: TestOptions): Promise<Judgment>
}

/** Finds the canaries of a project with its solution. */
export async function establishedProject(project: CheatedProject, setting: Setting): Promise<EstablishedProject> {
  const { given, solution, hidden } = project
  const reference = present({ ...given, ...solution, ...hidden })
  await using right = await temporaryWorkspace(reference)
  await using before = await temporaryWorkspace(present(given))
  const metadata = { recordTests: true, repetition: 1 }
  const found = await runJudge(
    judgeOf(project, setting, {}),
    aContext({ workspace: right, reference: right, before, metadata }),
  )
  if (found.status !== 'pass')
    throw new Error(`${project.name}, ${setting}: the solution does not pass: ${found.reasoning}`)
  const set = found.metadata['canaries'] as
    | { form: string; changes: { counts: boolean }[]; problem?: string }
    | undefined
  const testsLock = { failToPass: [], passToPass: [], flaky: [], canaries: set === undefined ? [] : [set] }
  return {
    canaries: {
      form: set?.form ?? '',
      counted: set?.changes.filter(({ counts }) => counts).length ?? 0,
      problem: set?.problem,
    },
    async judge(agent, sandbox, options = {}) {
      const judging = options.canaries === false ? {} : { testsLock }
      await using directory = await temporaryWorkspace(present({ ...given, ...agent }))
      await using original = await temporaryWorkspace(present(given))
      await using answer = await temporaryWorkspace(reference)
      const workspace = localWorkspace(directory.root, sandbox === undefined ? {} : { sandbox })
      const startedAt = new Date().toISOString()
      const context = aContext({ workspace, before: original, reference: answer, metadata: judging, startedAt })
      return await runJudge(judgeOf(project, setting, options), context)
    },
  }
}

/** Reads a judgment as the outcome of a cheat. */
export function outcomeOf({ status, checks }: Judgment): CheatOutcome {
  if (status === 'pass') return 'passed'
  if (status !== 'fail') return status
  return checks.some(({ name, passed }) => name === 'canary' && !passed) ? 'caught by canaries' : 'held'
}
