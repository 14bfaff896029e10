import type { PackageManager } from './build-tools.js'
import { scriptCommand } from './build-tools.js'
import { packageScripts } from './detect-build.js'
import type { Prepare } from './site.js'

const jsonReport = '.jurist-test-report.json'
const junitReport = '.jurist-test-report.xml'

const reporterArguments: ReadonlyMap<string, readonly string[]> = new Map([
  ['vitest', ['--reporter=json', `--outputFile=${jsonReport}`]],
  ['jest', ['--json', `--outputFile=${jsonReport}`]],
])

/**
 * A script of `package.json`. One that ends with Vitest or Jest is asked for its JSON report, since what these print is
 * made for people; a report that the user names is left to the user.
 */
export function testScript(manager: PackageManager, words: readonly string[], wantsReport: boolean): Prepare {
  return async (site) => {
    const script = (await packageScripts(site)).get(words[0] ?? '') ?? ''
    const asked = wantsReport ? reporterArguments.get(lastProgram(script)) : undefined
    return {
      command: scriptCommand(manager, [...words, ...(asked ?? [])]),
      metadata: { tool: manager, wrapper: false },
      ...(asked === undefined ? {} : { reportFile: jsonReport }),
    }
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
  const reporter = asks ? [`--junitxml=${junitReport}`] : []
  return async () => ({
    command: ['pytest', ...words, ...reporter],
    metadata: { tool: 'pytest', wrapper: false },
    ...(asks ? { reportFile: junitReport } : {}),
  })
}
