import { JuristError, type Workspace } from '@jurist/core'
import type { Reported } from './report-files.js'
import { noTestRan } from './reports/tap.js'
import type { TestCase } from './reports/test-report.js'
import type { Site } from './site.js'
import { below } from './wrapper.js'

/** What a file says that has tests: it imports the runner of Node, or calls a function of such a name. */
const hasTests = /['"]node:test['"]|(?<![.\w$])(?:test|it|describe|suite)(?:\.\w+)?\s{0,9}\(/

/**
 * The report with files of which no test ran told apart: one that has tests stays errored, one without, such as a module
 * beside the tests, is skipped, and what is no file at all was a test after all. The tests are looked for where the agent
 * had no hand in the file.
 */
export async function withFilesTold(report: Reported, site: Site): Promise<Reported> {
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
      return hasTests.test(text) ? test : { ...test, status: 'skipped', message: 'there is no test in this file' }
    }
  return { ...test, status: 'passed', message: '' }
}

/** What cannot be read, such as a path that leads out, is not there. */
async function textOf(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await workspace.read(path)
  } catch (thrown) {
    if (!(thrown instanceof JuristError)) throw thrown
    return JuristError.is(thrown, 'too-large') ? 'test(' : undefined
  }
}
