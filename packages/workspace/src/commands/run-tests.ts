import type { JsonObject, Judgment, JudgmentContext, Workspace } from '@jurist/core'
import { error, fail, JuristError, numerical } from '@jurist/core'
import { maxReadBytes } from '@jurist/core/internal'
import { commandEnvironment } from '../environment.js'
import { settingsOf } from '../workspace-settings.js'
import { type CommandEvidence, evidenceOf, rootsOf, withinWorkspace } from './command-evidence.js'
import type { Prepare, Prepared, Site } from './command-target.js'
import { below, defaultTimeoutMs } from './command-target.js'
import { askingPytest, unendedRun } from './crashed-run.js'
import { described, type Imports, importCheck, importsOf, redirectedMetadata } from './imports/imports.js'
import { askingNode } from './node-reporter.js'
import { printedSummaries } from './printed-summary.js'
import { joined, type Reported, remove, reportFiles, withTestlessFiles } from './report-files.js'
import { printedReport } from './reports/read-test-report.js'
import { testCase } from './reports/test-report.js'
import type { TestRun } from './test-judgment.js'
import type { TestOptions } from './test-options.js'

const defaultReports = [
  '**/target/surefire-reports/TEST-*.xml',
  '**/target/failsafe-reports/TEST-*.xml',
  '**/build/test-results/**/TEST-*.xml',
  'junit.xml',
]

export interface Running {
  readonly site: Site
  readonly prepare: Prepare
  readonly options: TestOptions
  /** Whether tests were laid over the agent's work. */
  readonly isHidden: boolean
  /** The directory that the site is a copy of. */
  readonly copiedFrom: string | undefined
  /** The agent's initial state, and when the agent began. */
  readonly context: Pick<JudgmentContext, 'before' | 'startedAt'>
  readonly signal: AbortSignal
}

/**
 * Runs tests and reads their report.
 *
 * @returns the run, or the judgment on tests that could not be run
 */
export async function runTests(running: Running): Promise<TestRun | Judgment> {
  const { site, prepare, signal, context } = running
  const prepared = await prepare(site)
  if (prepared.missing !== undefined) return nothingToRun(prepared.missing, prepared.metadata)
  const env = environmentOf(prepared, running)
  const imports = await importsOf({
    site,
    command: prepared.command,
    env,
    before: context.before,
    startedAt: context.startedAt === undefined ? undefined : Date.parse(context.startedAt),
    copiedFrom: running.copiedFrom,
    signal,
  })
  try {
    const run = await runPrepared(running, { ...prepared, env: { ...env, ...imports.env } })
    return withImports(run, imports)
  } finally {
    imports.tidy()
  }
}

async function runPrepared(
  { site, options, isHidden, signal }: Running,
  prepared: Prepared & Pick<Required<Prepared>, 'env'>,
): Promise<TestRun | Judgment> {
  const { workspace, cwd } = site
  const { exitCode = 0, timeoutMs = defaultTimeoutMs, cpuMs, reports } = options
  const { command, metadata, reportFile, env } = prepared
  const files = reportFiles(workspace, globsOf(reports, reportFile), cwd, signal)
  await files.clear()
  const limits = cpuMs === undefined ? { timeoutMs } : { timeoutMs, cpuMs }
  const how = { cwd, env, ...limits, signal, maxOutputBytes: maxReadBytes }
  const evidence = evidenceOf(await workspace.run(command, how), { workspace, command, exitCode, ...limits }, signal)
  if ('status' in evidence) return { ...evidence, metadata: { ...evidence.metadata, ...metadata } }
  const mayBePrinted = reports === undefined && reportFile === undefined
  const isOver = evidence.result.status !== 'timed-out'
  const found = isOver ? await reportOf(evidence, files, mayBePrinted) : undefined
  const report = found && (await withTestlessFiles(withinRoot(found, workspace), site))
  if (reportFile !== undefined) await tidy(workspace, below(cwd, reportFile))
  const { stdout, stderr } = evidence.result
  const summaries = mayBePrinted && report === undefined ? printedSummaries(`${stdout}\n${stderr}`) : []
  const demandsReport = isHidden || !mayBePrinted || prepared.demandsReport === true
  const unended = unendedRun(command, evidence.result)
  return { command, evidence, report, summaries, demandsReport, unended, metadata }
}

/** A run that tested something other than the judged work proves nothing about it. */
function withImports(run: TestRun | Judgment, imports: Imports): TestRun | Judgment {
  const { outside } = imports
  const metadata = redirectedMetadata(imports)
  if ('status' in run) return { ...run, metadata: { ...run.metadata, ...metadata } }
  const known = { ...run, metadata: { ...run.metadata, ...metadata } }
  const [first] = outside
  if (first === undefined) return known
  const [check, all] = [importCheck(outside), { ...run.evidence.metadata, ...known.metadata }]
  if (outside.some(({ isAgents }) => isAgents))
    return fail(check.message, { score: numerical(0), checks: [check], metadata: all })
  const reasoning = `${described(first)}; ${first.remedy}.`
  return error(reasoning, new JuristError('imported-elsewhere', reasoning, { name: first.name, from: first.from }), {
    metadata: all,
  })
}

function environmentOf(
  { command, env, asksNode }: Prepared,
  { site: { workspace }, options: { env: added = {} }, isHidden }: Running,
) {
  const known = commandEnvironment(settingsOf(workspace)?.environment ?? {}, added)
  const asking = asksNode === true ? askingNode({ workspace, added, isHidden }) : {}
  return { ...env, ...added, ...asking, ...askingPytest(command, known['PYTEST_ADDOPTS']) }
}

function nothingToRun(problem: string, metadata: JsonObject): Judgment {
  const checks = [{ name: 'tests_executed', passed: false, message: problem }]
  return fail(problem, { score: numerical(0), checks, metadata: { ...metadata, report: null } })
}

function globsOf(given: TestOptions['reports'], reportFile: string | undefined): readonly string[] {
  if (given !== undefined) return typeof given === 'string' ? [given] : given
  return reportFile === undefined ? defaultReports : [reportFile]
}

/** Returns the report in the files that the run wrote, or otherwise the one that it printed. */
async function reportOf(
  { result }: CommandEvidence,
  files: ReturnType<typeof reportFiles>,
  mayBePrinted: boolean,
): Promise<Reported | undefined> {
  const written = await files.read()
  if (written !== undefined || !mayBePrinted) return written
  const printed = printedReport(result.stdout)
  if (printed === undefined) return undefined
  const isWhole = !(result.truncated && /^… \d+ bytes omitted …$/m.test(result.stdout))
  const cut = testCase('(output)', 'errored', 'the output was longer than what is kept, so the report is incomplete')
  return joined(isWhole ? [printed] : [printed, { format: printed.format, tests: [cut] }])
}

/**
 * Jest and Vitest name tests by absolute paths. Ids and messages must be the same wherever the workspace, or its copy,
 * is.
 */
function withinRoot({ format, tests }: Reported, workspace: Workspace): Reported {
  const roots = rootsOf(workspace)
  const relativeText = withinWorkspace(workspace)
  const relative = (id: string) => {
    const root = roots.find((one) => id.startsWith(`${one}/`))
    return root === undefined ? id : id.slice(root.length + 1)
  }
  return {
    format,
    tests: tests.map((test) => ({ ...test, id: relative(test.id), message: relativeText(test.message) })),
  }
}

/** Deletes our own report file, if files can be deleted. */
async function tidy(workspace: Workspace, path: string): Promise<void> {
  try {
    await remove(workspace, path)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'read-only')) throw thrown
  }
}
