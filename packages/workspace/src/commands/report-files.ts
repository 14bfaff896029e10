import { blamed, JuristError, type Workspace, type WorkspaceEntry, type WritableWorkspace } from '@jurist/core'
import { globMatcher } from '../list-tree.js'
import { below, type Site } from './command-target.js'
import { projectEntries } from './overlay.js'
import { parseReport } from './reports/read-test-report.js'
import { noTestRan } from './reports/tap.js'
import { distinctTests, type TestCase, type TestReport } from './reports/test-report.js'

const maxReportBytes = 100 * 1024 * 1024

/** A report merged from all files. */
export interface Reported {
  /** The formats, joined by `+` if there are several. */
  readonly format: string
  readonly tests: TestReport['tests']
}

/**
 * Finds the files that a glob matches, relative to the root of the workspace or to the directory the command runs in.
 */
export function reportFiles(workspace: Workspace, globs: readonly string[], cwd: string, signal: AbortSignal) {
  const places = placesOf(globs, cwd)
  const find = async () => {
    const matches = await globMatcher(globs, cwd)
    const found: WorkspaceEntry[] = []
    for await (const entry of projectEntries(workspace, signal, places))
      if (entry.type !== 'directory' && matches(entry.path)) found.push(entry)
    return found
  }
  return {
    /** Removes the files that exist before the run, since the run did not write them. */
    async clear(): Promise<void> {
      for (const { path } of await find()) await remove(workspace, path)
    },
    /** Merges the reports of the run; `undefined` if it wrote none. */
    async read(): Promise<Reported | undefined> {
      // An empty file means that its writer ended before it wrote.
      const files = (await find()).filter(({ type, sizeBytes }) => type === 'file' && sizeBytes > 0)
      try {
        checkSize(files)
        const reports: TestReport[] = []
        for (const { path } of files) reports.push(parseReport(await workspace.readBytes(path), path))
        return joined(reports)
      } catch (thrown) {
        throw blamed(workspace, thrown)
      }
    },
  }
}

/** Merges reports; `undefined` without any. */
export function joined(reports: readonly TestReport[]): Reported | undefined {
  if (reports.length === 0) return undefined
  const formats = [...new Set(reports.map(({ format }) => format))].sort()
  return { format: formats.join('+'), tests: distinctTests(reports.flatMap(({ tests }) => tests)) }
}

/**
 * Returns globs relative to the root of a workspace, and the same globs relative to the directory a command runs in.
 */
export function placesOf(globs: readonly string[], cwd: string): readonly string[] {
  return cwd === '.' ? globs : [...globs, ...globs.map((glob) => `${cwd}/${glob}`)]
}

function checkSize(files: readonly WorkspaceEntry[]): void {
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (total <= maxReportBytes) return
  throw new JuristError('limit-exceeded', `The reports have ${total} bytes; at most ${maxReportBytes} are read.`, {
    what: 'bytes of reports',
    limit: maxReportBytes,
  })
}

/** Deletes a report. A read-only workspace refuses it. */
export async function remove(workspace: Workspace, path: string): Promise<void> {
  const { remove: removeFrom } = workspace as Partial<WritableWorkspace>
  if (removeFrom !== undefined) return removeFrom.call(workspace, path)
  const problem = `${path} was there before the run and cannot be deleted; judge a workspace that can be written to`
  throw new JuristError('read-only', `${problem}, or use an overlay.`, { path })
}

/** Matches a file with tests: it imports Node's test runner, or calls a function with such a name. */
const hasTests = /['"]node:test['"]|(?<![.\w$])(?:test|it|describe|suite)(?:\.\w+)?\s{0,9}\(/

/**
 * Separates the files of a report in which no test ran: a file with tests stays errored; one without, such as a module
 * next to the tests, is skipped; and a name that is not a file was a test after all. Tests are searched in the version
 * of the file that the agent did not touch.
 */
export async function withTestlessFiles(report: Reported, site: Site): Promise<Reported> {
  if (!report.tests.some(isFile)) return report
  const tests = await Promise.all(report.tests.map((test) => (isFile(test) ? told(test, site) : test)))
  return { ...report, tests }
}

function isFile({ status, message }: TestCase): boolean {
  return status === 'errored' && message === noTestRan
}

async function told(test: TestCase, { workspace, originals, cwd }: Site): Promise<TestCase> {
  for (const source of [...originals.toReversed(), workspace])
    for (const path of [below(cwd, test.id), test.id]) {
      const text = await textOf(source, path)
      if (text === undefined) continue
      return hasTests.test(text) ? test : { ...test, status: 'skipped', message: 'this file has no test' }
    }
  return { ...test, status: 'passed', message: '' }
}

/** A path that cannot be read, such as one that leads out, counts as missing. */
async function textOf(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await workspace.read(path)
  } catch (thrown) {
    if (!(thrown instanceof JuristError)) throw thrown
    return JuristError.is(thrown, 'too-large') ? 'test(' : undefined
  }
}
