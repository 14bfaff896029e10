import {
  bpmnLog,
  chartLog,
  eslintLog,
  grommetLog,
  jestFilesLog,
  jestLog,
  karmaLog,
  markedLog,
  openLayersLog,
  vitestLog,
} from './javascript-logs.js'
import { gradleLog, mavenLog, minitestLog, redisLog } from './language-logs.js'
import { type LogParser, lines } from './log-status.js'
import { p5Log, prismLog, quartoLog } from './project-logs.js'
import {
  djangoLog,
  doctestLog,
  matplotlibLog,
  pytestLog,
  pytestOptionsLog,
  pytestSpacedLog,
  seabornLog,
  sympyLog,
} from './python-logs.js'
import { calypsoLog, highlightLog, lighthouseLog, nextLog, phpunitLog } from './suite-logs.js'

/** The lines `[PASSED] name` that a filter makes of the JSON of Jest. */
const jestJsonLog = lines(/^\[(?<result>PASSED|FAILED)\]\s(?<name>[^\n]+)$/)

/** Cucumber with the format `progress`. */
const cucumberLog = lines(/^(?<name>[^\n]*) \.+(?<result>\.|F)/)

/** The parsers by the names that datasets of SWE-bench give them, without `parse_log_`. */
export const logParsers: { readonly [name: string]: LogParser } = {
  ...under(pytestLog, 'pytest', 'astroid', 'flask', 'marshmallow', 'pvlib', 'pyvista', 'sqlfluff', 'xarray'),
  ...under(pytestOptionsLog, 'pytest_options', 'pydicom', 'requests', 'pylint'),
  ...under(pytestSpacedLog, 'pytest_v2', 'astropy', 'scikit', 'sphinx'),
  ...under(jestFilesLog, 'carbon', 'react_pdf'),
  django: djangoLog,
  seaborn: seabornLog,
  sympy: sympyLog,
  matplotlib: matplotlibLog,
  maven: mavenLog,
  ant: lines(/^\[junit\]\s+\[(?<result>PASS|FAIL|ERR)\]\s+(?<name>.*)$/),
  gradle_custom: gradleLog,
  jest: jestLog,
  jest_json: jestJsonLog,
  vitest: vitestLog,
  karma: karmaLog,
  // A name holds what follows the number, directives too.
  tap: lines(/^(?<result>ok|not ok) \d+ (?<name>[^\n]+)$/),
  // Two forms, one a pull request.
  immutable_js: (log, origin) => (origin.instanceId?.endsWith('-2005') === true ? jestJsonLog : jestLog)(log, origin),
  calypso: calypsoLog,
  grommet: grommetLog,
  highlightjs: highlightLog,
  prismjs: prismLog,
  lighthouse: lighthouseLog,
  next: nextLog,
  quarto_cli: quartoLog,
  p5js: p5Log,
  chart_js: chartLog,
  marked: markedLog,
  bpmn_js: bpmnLog,
  eslint: eslintLog,
  openlayers: openLayersLog,
  // Only lines that end as the pattern does are tried: others take long.
  gotest: lines(/^(?=[^\n]*\)$)--- (?<result>PASS|FAIL|SKIP): (?<name>.+) \(.+\)$/),
  cargo: lines(/^test\s+(?<name>\S+)\s+\.\.\.\s+(?<result>ok|FAILED)$/),
  phpunit: phpunitLog,
  redis: redisLog,
  jq: lines(/^(?<result>PASS|FAIL):\s(?<name>[^\n]+)$/),
  micropython_test: lines(/^(?<result>pass|FAIL|skip)\s+(?<name>[^\n]+)$/),
  googletest: lines(/^(?=[^\n]*\)$)[^\n]*\[\s*(?<result>OK|FAILED)\s*\]\s(?<name>[^\n]*)\s\([^\n]*\)$/),
  doctest: doctestLog,
  minitest: minitestLog,
  cucumber: cucumberLog,
  ruby_unit: lines(/^(?:test: )?(?<name>[^\n]+):\s+(?<result>\.|E\b|F\b|O\b)/),
  // What a filter makes of the JSON of RSpec.
  rspec_transformed_json: lines(/^(?<name>[^\n]+) - (?<result>passed|failed)/),
  // Two forms, one a pull request.
  jekyll: (log, origin) => (/-(?:8761|8771)$/.test(origin.instanceId ?? '') ? cucumberLog : minitestLog)(log, origin),
}

/** All names. */
export const logParserNames: readonly string[] = Object.keys(logParsers)

function under(parser: LogParser, ...names: readonly string[]): { readonly [name: string]: LogParser } {
  return Object.fromEntries(names.map((name) => [name, parser]))
}
