import { randomBytes } from 'node:crypto'
import type { PackageManager } from './build-tools.js'
import { scriptCommand, testScriptEnvironment } from './build-tools.js'
import { mayAskNode, namesReporter, runsNodeTests } from './node-reporter.js'
import { packageScripts } from './package-scripts.js'
import type { Prepare, Prepared, Site } from './site.js'

/** A name for the report of one run that nobody can know before, and nothing that was left behind can have. */
export function reportName(extension: 'json' | 'xml'): string {
  return `.jurist-test-report-${randomBytes(8).toString('hex')}.${extension}`
}

interface Reporter {
  readonly extension: 'json' | 'xml'
  readonly words: (file: string) => readonly string[]
}
const reporters: ReadonlyMap<string, Reporter> = new Map([
  ['vitest', { extension: 'json', words: (file) => ['--reporter=json', `--outputFile=${file}`] }],
  ['jest', { extension: 'json', words: (file) => ['--json', `--outputFile=${file}`] }],
  ['mocha', { extension: 'xml', words: (file) => ['--reporter=xunit', `--reporter-option=output=${file}`] }],
])

/**
 * A script of `package.json`. One that ends with Vitest, Jest or Mocha is asked for a report file, one that runs Node for
 * its TAP; a report that the user names is left to the user. A script that the agent was given and that is gone, or that
 * does not run the test runner any more, ran no test.
 */
export function testScript(manager: PackageManager, words: readonly string[], wantsReport: boolean): Prepare {
  const [name = ''] = words
  return async (site) => {
    const scripts = await packageScripts(site)
    const given = await givenScripts(site, name)
    const known = { metadata: { tool: manager, wrapper: false }, env: testScriptEnvironment }
    const script = scripts.get(name)
    if (script === undefined && given.length > 0)
      return {
        ...known,
        command: scriptCommand(manager, words),
        missing: `package.json has no script "${name}" any more`,
      }
    const asked = wantsReport ? reportAsked(manager, words, scripts) : { command: scriptCommand(manager, words) }
    const didReport = given.some((one) => reporters.has(lastProgram(one)) || runsNodeTests(one))
    return { ...known, ...asked, demandsReport: didReport || runsNodeTests(script ?? '') }
  }
}

/** What the script was where the agent had no hand in it. */
async function givenScripts({ originals, cwd }: Site, name: string): Promise<readonly string[]> {
  const all = await Promise.all(originals.map((workspace) => packageScripts({ workspace, cwd })))
  return all.map((scripts) => scripts.get(name)).filter((script) => script !== undefined)
}

function reportAsked(
  manager: PackageManager,
  words: readonly string[],
  scripts: ReadonlyMap<string, string>,
): Pick<Prepared, 'command' | 'reportFile' | 'asksNode'> {
  const reporter = reporters.get(lastProgram(scripts.get(words[0] ?? '') ?? ''))
  if (reporter === undefined) {
    const all = [...scripts.values()]
    return { command: scriptCommand(manager, words), asksNode: all.some(mayAskNode) && !all.some(namesReporter) }
  }
  const reportFile = reportName(reporter.extension)
  return { command: scriptCommand(manager, [...words, ...reporter.words(reportFile)]), reportFile }
}

/** The program that gets the arguments added to a script: that of its last command. */
function lastProgram(script: string): string {
  const words =
    script
      .split(/&&|\|\||[;|]/)
      .at(-1)
      ?.trim()
      .split(/\s+/) ?? []
  const [program = ''] = words.filter((word) => !/^(?:\w+=.*|npx|cross-env|c8|nyc|pnpm|yarn|exec)$/.test(word))
  return program.split('/').at(-1) ?? ''
}
