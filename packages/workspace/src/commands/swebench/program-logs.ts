import { byLine, type LogParser, type LogStatus } from './log-status.js'

const go: Readonly<Record<string, LogStatus>> = { PASS: 'PASSED', FAIL: 'FAILED', SKIP: 'SKIPPED' }

/** `go test -v`. */
export const goLog: LogParser = byLine((line) => {
  const [, result = '', name] = /^--- (PASS|FAIL|SKIP): (.+) \(.+\)$/.exec(line.trim()) ?? []
  const status = go[result]
  return name === undefined || status === undefined ? undefined : [name, status]
})

/** `cargo test`. */
export const cargoLog: LogParser = byLine((line) => {
  const [, name, result] = /^test\s+(\S+)\s+\.\.\.\s+(ok|FAILED)$/.exec(line.trim()) ?? []
  return name === undefined ? undefined : [name, result === 'ok' ? 'PASSED' : 'FAILED']
})
