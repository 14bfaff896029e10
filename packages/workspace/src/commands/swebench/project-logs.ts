import { type LogParser, type LogStatus, linesOf } from './log-status.js'

// The runners of single projects.

const prismCall = './node_modules/.bin/mocha tests/run.js --reporter json'

/** Mocha of Prism: the JSON that each call prints. */
export const prismLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  for (const call of log.split(prismCall).slice(1))
    for (const [name, status] of mochaTests(call.slice(call.indexOf('{'), call.lastIndexOf('}') + 1)))
      found.set(name, status)
  return found
}

function mochaTests(text: string): readonly (readonly [string, LogStatus])[] {
  try {
    const { failures, passes } = JSON.parse(text) as { readonly failures: unknown; readonly passes: unknown }
    const tests = (list: unknown, status: LogStatus) =>
      Array.isArray(list)
        ? list.flatMap((test: { readonly fullTitle?: unknown } | null) =>
            typeof test?.fullTitle === 'string' ? [[test.fullTitle, status] as const] : [],
          )
        : []
    return [...tests(failures, 'FAILED'), ...tests(passes, 'PASSED')]
  } catch {
    return []
  }
}

const lighthouseCall = './node_modules/.bin/mocha --reporter json'

/** Mocha of old Lighthouse: the JSON that each call prints, cut anywhere. */
export const lighthouseJsonLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  for (const call of log.split(lighthouseCall).slice(1)) {
    for (const title of titlesIn(section(call, '"passes": [', ']'))) found.set(title, 'PASSED')
    for (const title of titlesIn(section(call, '"failures": [', '],'))) found.set(title, 'FAILED')
  }
  return found
}

/** What is after the last beginning, up to the last end. */
function section(text: string, begin: string, end: string): string {
  const start = text.lastIndexOf(begin)
  const rest = start < 0 ? text : text.slice(start + begin.length)
  const stop = rest.lastIndexOf(end)
  return stop < 0 ? rest : rest.slice(0, stop)
}

function titlesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => /"fullTitle":\s"([^\n]*)",$/.exec(line)?.[1] ?? [])
}

/** The runner of Quarto. Temporary files are numbered, since their names are random. */
export const quartoLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const numbers = new Map<string, number>()
  for (const given of linesOf(log)) {
    if (given.includes('ERRORS') || given.includes('failures:')) return found
    if (!/\[(?:smoke|unit)\]/.test(given)) continue
    const line = numbered(given, numbers)
    const name = (line.split('...', 1)[0] ?? '').trim()
    if (isSummary(line)) continue
    if (line.includes('32mok')) found.set(name, 'PASSED')
    else if (line.includes('31mFAILED') || !found.has(name)) found.set(name, 'FAILED')
  }
  return found
}

function isSummary(line: string): boolean {
  const counts = ['passed', 'failed', 'steps'].every((word) => line.includes(word))
  return counts || line.startsWith('test result:') || line.includes('34mINFO')
}

function numbered(given: string, numbers: Map<string, number>): string {
  let line = given
  for (const pattern of [/\/tmp\/\w+\.qmd/, /\/tmp\/\w+\//]) {
    const name = pattern.exec(line)?.[0]
    if (name === undefined) continue
    const number = numbers.get(name) ?? numbers.size
    numbers.set(name, number)
    line = line.replaceAll(new RegExp(pattern.source, 'g'), `/tmp/${number}`)
  }
  return line
}
