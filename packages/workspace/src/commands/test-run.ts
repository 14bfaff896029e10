import type { Judge, Judgment, JudgmentContext, Workspace } from '@jurist/core'
import { JuristError, maxReadBytes, named, normalizePath } from '@jurist/core'
import { defaultTimeoutMs } from './build-options.js'
import { type CommandEvidence, evidenceOf } from './command-evidence.js'
import { overlaid } from './overlay.js'
import { joined, type Reported, type ReportFiles, remove, reportFiles } from './report-files.js'
import { printedReport } from './reports/read-test-report.js'
import { testCase } from './reports/test-report.js'
import type { Prepare, Site } from './site.js'
import { testJudgment } from './test-judgment.js'
import type { TestOptions } from './test-options.js'
import { below } from './wrapper.js'

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
  { before, reference, signal }: JudgmentContext,
  { workspace, cwd }: Omit<Site, 'original'>,
  prepare: Prepare,
  options: TestOptions,
): Promise<Judgment> {
  const { exitCode = 0, timeoutMs = defaultTimeoutMs, env = {}, reports } = options
  const { command, metadata, reportFile } = await prepare({ workspace, original: before ?? reference, cwd })
  const files = reportFiles(workspace, globsOf(reports, reportFile), cwd, signal)
  await files.clear()
  const how = { cwd, env, timeoutMs, signal, maxOutputBytes: maxReadBytes }
  const evidence = evidenceOf(await workspace.run(command, how), { command, exitCode, timeoutMs }, signal)
  if ('status' in evidence) return { ...evidence, metadata: { ...evidence.metadata, ...metadata } }
  const isOver = evidence.result.status !== 'timed-out'
  const found = isOver ? await reportOf(evidence, files, reports === undefined) : undefined
  const report = found === undefined ? undefined : withinRoot(found, workspace.root)
  if (reportFile !== undefined) await tidy(workspace, below(cwd, reportFile))
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

/** Jest and Vitest name tests by absolute paths; ids must be the same wherever the workspace, or its copy, lies. */
function withinRoot({ format, tests }: Reported, root: string | undefined): Reported {
  const prefix = `${root}/`
  const relative = (id: string) => (id.startsWith(prefix) ? id.slice(prefix.length) : id)
  return { format, tests: tests.map((test) => ({ ...test, id: relative(test.id) })) }
}

/** Our own report file goes again, where files can be deleted. */
async function tidy(workspace: Workspace, path: string): Promise<void> {
  try {
    await remove(workspace, path)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'read-only')) throw thrown
  }
}
