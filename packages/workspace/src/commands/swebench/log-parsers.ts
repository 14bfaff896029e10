import {
  bpmnLog,
  chartLog,
  eslintLog,
  grommetLog,
  jestFilesLog,
  jestJsonLog,
  jestLog,
  karmaLog,
  markedLog,
  openLayersLog,
  tapLog,
  vitestLog,
} from './javascript-logs.js'
import {
  antLog,
  cargoLog,
  cucumberLog,
  goLog,
  googleTestLog,
  gradleLog,
  jqLog,
  mavenLog,
  micropythonLog,
  minitestLog,
  redisLog,
  rspecLog,
  testUnitLog,
} from './language-logs.js'
import type { LogParser } from './log-status.js'
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

/** Immutable.js used two forms, one a pull request. */
const immutableLog: LogParser = (log, origin) => {
  const form = origin.instanceId?.endsWith('-2005') === true ? jestJsonLog : jestLog
  return form(log, origin)
}

/** So did Jekyll. */
const jekyllLog: LogParser = (log, origin) => {
  const form = /-(?:8761|8771)$/.test(origin.instanceId ?? '') ? cucumberLog : minitestLog
  return form(log, origin)
}

/** The parsers by the names that datasets of SWE-bench give them, without `parse_log_`. */
export const logParsers: { readonly [name: string]: LogParser } = {
  pytest: pytestLog,
  pytest_options: pytestOptionsLog,
  pytest_v2: pytestSpacedLog,
  django: djangoLog,
  seaborn: seabornLog,
  sympy: sympyLog,
  matplotlib: matplotlibLog,
  astroid: pytestLog,
  flask: pytestLog,
  marshmallow: pytestLog,
  pvlib: pytestLog,
  pyvista: pytestLog,
  sqlfluff: pytestLog,
  xarray: pytestLog,
  pydicom: pytestOptionsLog,
  requests: pytestOptionsLog,
  pylint: pytestOptionsLog,
  astropy: pytestSpacedLog,
  scikit: pytestSpacedLog,
  sphinx: pytestSpacedLog,
  maven: mavenLog,
  ant: antLog,
  gradle_custom: gradleLog,
  jest: jestLog,
  jest_json: jestJsonLog,
  vitest: vitestLog,
  karma: karmaLog,
  tap: tapLog,
  immutable_js: immutableLog,
  calypso: calypsoLog,
  carbon: jestFilesLog,
  react_pdf: jestFilesLog,
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
  gotest: goLog,
  cargo: cargoLog,
  phpunit: phpunitLog,
  redis: redisLog,
  jq: jqLog,
  micropython_test: micropythonLog,
  googletest: googleTestLog,
  doctest: doctestLog,
  minitest: minitestLog,
  cucumber: cucumberLog,
  ruby_unit: testUnitLog,
  rspec_transformed_json: rspecLog,
  jekyll: jekyllLog,
}

/** All names. */
export const logParserNames: readonly string[] = Object.keys(logParsers)
