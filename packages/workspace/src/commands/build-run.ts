import type { Judge, Judgment, JudgmentContext, Workspace } from '@jurist/core'
import { abstain, fail, named, pass, runsCommands } from '@jurist/core'
import { normalizePath } from '@jurist/core/internal'
import { type BuildOptions, defaultTimeoutMs } from './build-options.js'
import { evidenceOf } from './command-evidence.js'
import { displayed } from './command-line.js'
import { attempted, withEnvironment } from './environment-problem.js'
import type { Prepared, Site } from './site.js'
import { withTellingLine } from './telling-line.js'

/** A judge that builds; `prepare` answers `undefined` when there is nothing it knows how to build. */
export function buildJudge(
  name: string,
  prepare: (site: Site) => Promise<Prepared | undefined>,
  options: BuildOptions,
): Judge {
  const cwd = normalizePath(options.cwd ?? '.')
  const judge: Judge = async (context) => {
    const { workspace, before, reference } = context
    const originals = [before, reference].filter((one) => one !== undefined)
    const prepared = await prepare({ workspace, originals, cwd })
    if (prepared === undefined) return abstain('there is no build that is known here', { metadata: { detected: null } })
    return build(context, prepared, cwd, options)
  }
  return named(runsCommands(judge), name)
}

async function build(
  { workspace, before, reference, signal }: JudgmentContext,
  { command, metadata: known, env: ownEnv }: Prepared,
  cwd: string,
  { timeoutMs = defaultTimeoutMs, cpuMs, env = {} }: BuildOptions,
): Promise<Judgment> {
  const limits = cpuMs === undefined ? { timeoutMs } : { timeoutMs, cpuMs }
  const how = { cwd, env: { ...ownEnv, ...env }, ...limits, signal }
  const result = await workspace.run(command, how)
  const evidence = evidenceOf(result, { command, exitCode: 0, ...limits }, signal)
  if ('status' in evidence) return { ...evidence, metadata: { ...evidence.metadata, ...known } }
  const { check } = evidence
  const extras = { checks: [check], metadata: { ...evidence.metadata, ...known } }
  if (check.passed) return pass(`${displayed(command)} succeeded`, extras)
  const again = async (copy: Workspace) => attempted(await copy.run(command, how), 0)
  const failed = { command, cwd, result, workspace, originals: [reference, before], again, signal }
  return withEnvironment(fail(withTellingLine(check.message, result), extras), failed)
}
