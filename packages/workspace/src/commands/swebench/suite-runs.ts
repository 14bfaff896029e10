import { jestFilesLog } from './javascript-logs.js'
import type { LogParser, LogStatus } from './log-status.js'
import { lighthouseJsonLog } from './project-logs.js'
import { readSuites, type Suite } from './suites.js'

// Runs of browsers whose logs name suites by their indentation.

/** Mocha of newer Lighthouse. */
const lighthouseMochaLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  for (const run of log.split(/running\s\d+\stest\sfiles/).slice(1)) {
    const summary = run.search(/(?<!\d)\d+\spassing/)
    readSuites((summary < 0 ? run : run.slice(0, summary)).trim(), [], found, (given) => {
      const [, mark, rest] = /^(✔|\d+\))\s([^\n]*)/.exec(given.trim()) ?? []
      if (rest === undefined) return undefined
      return [/^([^\n]*)\s\(\d+m+s\)/.exec(rest)?.[1] ?? rest, mark === '✔' ? 'PASSED' : 'FAILED']
    })
  }
  return found
}

/** Lighthouse, whose runners changed with its versions. */
export const lighthouseLog: LogParser = (log, origin) => {
  if (['9.5', '10.0', '10.2'].includes(origin.version ?? '')) return lighthouseMochaLog(log, origin)
  return (Number(origin.version) >= 3 ? jestFilesLog : lighthouseJsonLog)(log, origin)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is removed.
const escapes = /\u001b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])/g
const noise = ['ERROR', 'LOG', 'WARN', 'Check', 'in']

/** Karma of Fusion Next. */
const nextKarmaLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let suites: readonly Suite[] = []
  for (const run of withoutAssertions(log.replace(escapes, '')).split(' xvfb-run ').slice(1))
    suites = readSuites(run.split('Starting browser Chrome').at(-1) ?? '', suites, found, (line) => {
      if (line.startsWith('TOTAL')) return 'end'
      if (noise.some((word) => line.trim().startsWith(word))) return 'skip'
      const cross = line.indexOf('✗')
      const mark = cross < 0 ? line.indexOf('✓') : cross
      return mark < 0 ? undefined : [line.slice(mark + 1).trimStart(), cross < 0 ? 'PASSED' : 'FAILED']
    })
  return found
}

/** A log without what assertions print, which looks like suites. */
function withoutAssertions(log: string): string {
  const kept: string[] = []
  const begin = /AssertionError:\s+#/g
  let from = 0
  for (let found = begin.exec(log); found !== null; found = begin.exec(log)) {
    const end = log.indexOf('\n\n', found.index + found[0].length)
    if (end < 0) break
    kept.push(log.slice(from, found.index))
    from = end + 2
    begin.lastIndex = from
  }
  return [...kept, log.slice(from)].join('')
}

/** Cypress of Fusion Next 1.27: a file, its suite, and its tests. */
const nextCypressLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const runs = [...log.matchAll(/Running:[^\n]*\)\n{3}\s{2}([^\n]*)\n/g)]
  for (const [at, run] of runs.entries()) {
    const text = log.slice(run.index + run[0].length, runs[at + 1]?.index)
    const tests = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => `${run[1]}: ${name.trim()}`)
    for (const name of tests(/^\s{4}\d+\)\s([^\n]*)/gm)) found.set(name, 'FAILED')
    for (const name of tests(/^\s{4}✓\s([^\n]*)\(/gm)) found.set(name, 'PASSED')
  }
  return found
}

/** Fusion Next, whose runners changed with its versions. */
export const nextLog: LogParser = (log, origin) =>
  (origin.version === '1.27' ? nextCypressLog : nextKarmaLog)(log, origin)
