import { byLine, type LogParser, type LogStatus } from './log-status.js'

const go: Readonly<Record<string, LogStatus>> = { PASS: 'PASSED', FAIL: 'FAILED', SKIP: 'SKIPPED' }

/** `go test -v`. */
export const goLog: LogParser = byLine((line) => {
  if (!line.trimEnd().endsWith(')')) return undefined
  const [, result = '', name] = /^--- (PASS|FAIL|SKIP): (.+) \(.+\)$/.exec(line.trim()) ?? []
  const status = go[result]
  return name === undefined || status === undefined ? undefined : [name, status]
})

/** `cargo test`. */
export const cargoLog: LogParser = byLine((line) => {
  const [, name, result] = /^test\s+(\S+)\s+\.\.\.\s+(ok|FAILED)$/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, result === 'ok' ? 'PASSED' : 'FAILED']
})

const redis: Readonly<Record<string, LogStatus>> = { ok: 'PASSED', err: 'FAILED', skip: 'SKIPPED', ignore: 'SKIPPED' }

/** The tests of Redis; a failed one is followed by its file. */
export const redisLog: LogParser = byLine((line) => {
  const [, result = '', rest] = /^\[(ok|err|skip|ignore)\]:\s([^\n]+)$/.exec(line.trim()) ?? []
  const status = redis[result]
  if (rest === undefined || status === undefined) return undefined
  const time = /\s\(\d+\s*m?s\)$/.exec(rest)
  const name = time === null || time.index === 0 ? rest : rest.slice(0, time.index)
  return [status === 'FAILED' ? name.replace(/(?<!\s)\s+in\s+\S+$/, '') : name, status]
})

/** `make check` of jq, and of others that use Automake. */
export const jqLog: LogParser = byLine((line) => {
  const [, result, name] = /^(PASS|FAIL):\s([^\n]+)$/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, result === 'PASS' ? 'PASSED' : 'FAILED']
})

const micropython: Readonly<Record<string, LogStatus>> = { pass: 'PASSED', FAIL: 'FAILED', skip: 'SKIPPED' }

/** The tests of MicroPython. */
export const micropythonLog: LogParser = byLine((line) => {
  const [, result = '', name] = /^(pass|FAIL|skip)\s+([^\n]+)$/.exec(line.trim()) ?? []
  const status = micropython[result]
  return name === undefined || status === undefined ? undefined : [name, status]
})

/** GoogleTest. */
export const googleTestLog: LogParser = byLine((given) => {
  const line = given.trim()
  const [, result, name] = line.endsWith(')')
    ? (/^[^\n]*\[\s*(OK|FAILED)\s*\]\s([^\n]*)\s\([^\n]*\)$/.exec(line) ?? [])
    : []
  return name === undefined ? undefined : [name, result === 'OK' ? 'PASSED' : 'FAILED']
})
