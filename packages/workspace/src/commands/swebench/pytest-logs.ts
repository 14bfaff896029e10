import { byLine, type LogParser, type LogStatus, wordsOf } from './log-status.js'

const statuses: readonly LogStatus[] = ['FAILED', 'PASSED', 'SKIPPED', 'ERROR', 'XFAIL']
const isStatus = (word: string | undefined): word is LogStatus => statuses.some((status) => status === word)

/** `SKIPPED [2] tests/test_a.py:12: reason` counts skipped tests, and names none. */
function isSkipCount(status: string, name: string): boolean {
  return status === 'SKIPPED' && /^\[\d+\]$/.test(name)
}

type Line = readonly [name: string, status: LogStatus] | undefined

/** A line of the short summary of pytest: the status, then the id. */
function summaryLine(line: string): Line {
  if (!statuses.some((status) => line.startsWith(status))) return undefined
  const [status, name] = wordsOf(line.startsWith('FAILED') ? line.replaceAll(' - ', ' ') : line)
  if (!isStatus(status) || name === undefined || isSkipCount(status, name)) return undefined
  return [name, status]
}

/** pytest with `-rA`. */
export const pytestLog: LogParser = byLine(summaryLine)

/** pytest, where the parameter of a test may be a path: only its last part counts. */
export const pytestOptionsLog: LogParser = byLine((line) => {
  const found = summaryLine(line)
  return found && [withShortPath(found[0]), found[1]]
})

function withShortPath(id: string): string {
  const opening = id.indexOf('[')
  const closing = id.lastIndexOf(']')
  if (opening < 0 || closing < opening) return id
  const [main, parameter] = [id.slice(0, opening), id.slice(opening + 1, closing)]
  const isPath = parameter.startsWith('/') && !parameter.startsWith('//') && !parameter.includes('*')
  return `${main}[${isPath ? `/${parameter.split('/').at(-1)}` : parameter}]`
}

/** Control characters below the space; colours leave `[32m` behind. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const control = /[\u0001-\u001f]/g

/** Newer pytest, whose ids may hold spaces; also the older form with the status last. */
export const pytestSpacedLog: LogParser = byLine((given) => {
  const line = given.replace(/\[\d+m/g, '').replace(control, '')
  if (statuses.some((status) => line.startsWith(status))) return leadingStatus(line)
  if (!statuses.some((status) => line.endsWith(status))) return undefined
  const words = wordsOf(line)
  const status = words.at(-1)
  return words.length >= 2 && isStatus(status) ? [words.slice(0, -1).join(' '), status] : undefined
})

function leadingStatus(line: string): Line {
  const [status, ...name] = wordsOf(line.startsWith('FAILED') ? (line.split(' - ', 1)[0] ?? '') : line)
  if (!isStatus(status) || name.length === 0 || isSkipCount(status, name[0] ?? '')) return undefined
  return [name.join(' '), status]
}

/** pytest of Matplotlib, whose parameters changed their names between versions of Python. */
export const matplotlibLog: LogParser = byLine((line) =>
  summaryLine(line.replaceAll('MouseButton.LEFT', '1').replaceAll('MouseButton.RIGHT', '3')),
)

/** pytest of seaborn: the verbose lines and the summary. */
export const seabornLog: LogParser = byLine((line) => {
  const [first, second] = wordsOf(line)
  if (first === undefined || second === undefined) return undefined
  if (line.startsWith('FAILED')) return [second, 'FAILED']
  if (line.includes(' PASSED ')) return second === 'PASSED' ? [first, 'PASSED'] : undefined
  return line.startsWith('PASSED') ? [second, 'PASSED'] : undefined
})
