import { javascriptLogs } from './javascript-logs.js'
import { languageLogs } from './language-logs.js'
import type { LogParsers } from './log-status.js'
import { projectLogs } from './project-logs.js'
import { pythonLogs } from './python-logs.js'
import { suiteLogs } from './suite-logs.js'

export const logParsers: LogParsers = {
  ...pythonLogs,
  ...javascriptLogs,
  ...languageLogs,
  ...projectLogs,
  ...suiteLogs,
}

export const logParserNames: readonly string[] = Object.keys(logParsers)
