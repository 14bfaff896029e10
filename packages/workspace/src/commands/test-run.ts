import type { JsonObject, Judge, Judgment, JudgmentContext, Workspace } from '@jurist/core'
import { JuristError, maxReadBytes, named, normalizePath } from '@jurist/core'
import { defaultTimeoutMs } from './build-options.js'
import { type CommandEvidence, evidenceOf } from './command-evidence.js'
import type { CommandLine } from './command-line.js'
import { overlaid } from './overlay.js'
import { joined, type Reported, type ReportFiles, remove, reportFiles } from './report-files.js'
import { printedReport } from './reports/read-test-report.js'
import { testCase } from './reports/test-report.js'
import { testJudgment } from './test-judgment.js'
import type { TestOptions } from './test-options.js'

/** Where a command is about to run. */
export interface Site {
  /** The workspace, or the copy of an overlay. */
  readonly workspace: Workspace
  /** What the agent began with. */
  readonly before: Workspace | undefined
  readonly cwd: string
}
/** A command made for a site. */
export interface Prepared {
  readonly command: CommandLine
  /** What is known of the tool. */
  readonly metadata: JsonObject
  /** The report the command was told to write, from the directory it runs in. */
  readonly reportFile?: string
}
/** How a tool is asked to do its work at a site. */
export type Prepare = (site: Site) => Promise<Prepared>

const defaultReports = [
  '**/target/surefire-reports/TEST-*.xml',
  '**/target/failsafe-reports/TEST-*.xml',
  '**/build/test-results/**/TEST-*.xml',
  'junit.xml',
]

/** A judge that runs tests and reads their report. */
export function testRunJudge(name: string, prepare: Prepare, options: TestOptions): Judge {
  const cwd = normalizePath(options.cwd ?? '.')
  const judge: Judge = async (context) => {
    if (options.overlay === undefined) return runTests(context, { workspace: context.workspace, cwd }, prepare, options)
    await using copy = await overlaid({ ...context, from: sourceOf(context, options), paths: options.overlay.paths })
    return await runTests(context, { workspace: copy, cwd }, prepare, options)
  }
  return named(judge, name)
}

function sourceOf({ reference }: JudgmentContext, { overlay }: TestOptions): Workspace {
  const from = overlay?.from ?? reference
  if (from !== undefined) return from
  throw new JuristError('not-found', 'There is no reference to take the overlay from; give "overlay.from".', {
    path: overlay?.paths.join(', ') ?? '',
  })
}

async function runTests(
  { before, signal }: JudgmentContext,
  { workspace, cwd }: Omit<Site, 'before'>,
  prepare: Prepare,
  options: TestOptions,
): Promise<Judgment> {
  const { exitCode = 0, timeoutMs = defaultTimeoutMs, env = {}, reports } = options
  const { command, metadata, reportFile } = await prepare({ workspace, before, cwd })
  const files = reportFiles(workspace, globsOf(reports, reportFile), cwd, signal)
  await files.clear()
  const how = { cwd, env, timeoutMs, signal, maxOutputBytes: maxReadBytes }
  const evidence = evidenceOf(await workspace.run(command, how), { command, exitCode, timeoutMs }, signal)
  if ('status' in evidence) return evidence
  const isOver = evidence.result.status !== 'timed-out'
  const report = isOver ? await reportOf(evidence, files, reports === undefined) : undefined
  if (reportFile !== undefined) await tidy(workspace, cwd === '.' ? reportFile : `${cwd}/${reportFile}`)
  return testJudgment({ evidence, report, metadata }, options)
}

function globsOf(given: TestOptions['reports'], reportFile: string | undefined): readonly string[] {
  if (given !== undefined) return typeof given === 'string' ? [given] : given
  return reportFile === undefined ? defaultReports : [reportFile]
}

/** The report in the files that the run wrote, else the one that it printed. */
async function reportOf(
  { result }: CommandEvidence,
  files: ReportFiles,
  mayBePrinted: boolean,
): Promise<Reported | undefined> {
  const written = await files.read()
  if (written !== undefined || !mayBePrinted) return written
  const printed = printedReport(result.stdout)
  if (printed === undefined) return undefined
  const isWhole = !(result.truncated && /^… \d+ bytes omitted …$/m.test(result.stdout))
  const cut = testCase('(output)', 'errored', 'more was printed than is kept, so the report is not whole')
  return joined(isWhole ? [printed] : [printed, { format: printed.format, tests: [cut] }])
}

/** Our own report file goes again, where files can be deleted. */
async function tidy(workspace: Workspace, path: string): Promise<void> {
  try {
    await remove(workspace, path)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'read-only')) throw thrown
  }
}
