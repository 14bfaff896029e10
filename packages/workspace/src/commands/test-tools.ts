import { randomBytes } from 'node:crypto'
import type { PackageManager } from './build-tools.js'
import { scriptCommand, scriptEnvironment } from './build-tools.js'
import { packageScripts } from './detect-build.js'
import type { Prepare } from './site.js'

/** A name for the report of one run that nobody can know before, and nothing that was left behind can have. */
function reportName(extension: 'json' | 'xml'): string {
  return `.jurist-test-report-${randomBytes(8).toString('hex')}.${extension}`
}

const reporterArguments: ReadonlyMap<string, readonly string[]> = new Map([
  ['vitest', ['--reporter=json']],
  ['jest', ['--json']],
])

/**
 * A script of `package.json`. One that ends with Vitest or Jest is asked for its JSON report, since what these print is
 * made for people; a report that the user names is left to the user.
 */
export function testScript(manager: PackageManager, words: readonly string[], wantsReport: boolean): Prepare {
  return async (site) => {
    const script = (await packageScripts(site)).get(words[0] ?? '') ?? ''
    const reporter = wantsReport ? reporterArguments.get(lastProgram(script)) : undefined
    const known = { metadata: { tool: manager, wrapper: false }, env: scriptEnvironment }
    if (reporter === undefined) return { command: scriptCommand(manager, words), ...known }
    const reportFile = reportName('json')
    const command = scriptCommand(manager, [...words, ...reporter, `--outputFile=${reportFile}`])
    return { command, ...known, reportFile }
  }
}

/** The program that gets the arguments added to a script: that of its last command. */
function lastProgram(script: string): string {
  const words =
    script
      .split(/&&|\|\||[;|]/)
      .at(-1)
      ?.trim()
      .split(/\s+/) ?? []
  const [program = ''] = words.filter((word) => !/^(?:\w+=.*|npx|cross-env|pnpm|yarn|exec)$/.test(word))
  return program.split('/').at(-1) ?? ''
}

/** `go test` with its events as JSON; the word `test` may be left out. */
export function goTest(words: readonly string[]): Prepare {
  const [first, ...rest] = words.length === 0 ? ['test', './...'] : words
  const args = first === 'test' ? rest : words
  return async () => ({ command: ['go', 'test', '-json', ...args], metadata: { tool: 'go', wrapper: false } })
}

/** pytest, told to write a JUnit report unless the words or the user name one. */
export function pytest(words: readonly string[], wantsReport: boolean): Prepare {
  const asks = wantsReport && !words.some((word) => /^--junit-?xml\b/.test(word))
  return async () => {
    // What was printed before code under test ended the process must not be lost: it tells that the run broke off.
    const known = { metadata: { tool: 'pytest', wrapper: false }, env: { PYTHONUNBUFFERED: '1' } }
    if (!asks) return { command: ['pytest', ...words], ...known }
    const reportFile = reportName('xml')
    return { command: ['pytest', ...words, `--junitxml=${reportFile}`], ...known, reportFile }
  }
}
