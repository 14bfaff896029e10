import { fileList, reported, splitWords, usualTestCommand } from '../git/project-commands.js'
import { isRunnable } from '../git/project-paths.js'
import type { Instance } from './instances.js'
import type { InstanceTrees } from './repository-trees.js'

/** The judge of an instance, with notes for the user. */
export interface GradedTests {
  readonly judge: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/**
 * Returns the judge of an instance: the tests of its patch, which replace those in a copy of the agent's work.
 *
 * @param line the command that runs the tests; `undefined` for the usual one of such a project
 * @param known the available parsers
 * @returns the judge, or the reason why none exists
 */
export function gradedTests(
  instance: Instance,
  { testFiles, deleted, root }: InstanceTrees,
  line: string | undefined,
  known: readonly string[],
): GradedTests | { readonly problem: string } {
  const { id, failToPass, passToPass, version, evalType } = instance
  const isFailOnly = evalType === undefined ? failOnly.has(instance.repo) : evalType === 'fail_only'
  const command = line ?? usualTestCommand(root)?.shown
  if (command === undefined) return { problem: 'how its tests run is not known: give --test-command' }
  const named = parserNameOf(instance, line !== undefined)
  const isUnknown = named !== undefined && !known.includes(named)
  const run = runOf(
    command,
    testFiles.filter((path) => isRunnable(path) && !path.startsWith('-')),
    isUnknown ? undefined : named,
  )
  const judge = {
    type: 'swebench-grade',
    failToPass,
    passToPass,
    ...run,
    failOnly: (run.parser !== undefined && isFailOnly) || undefined,
    ...{ instanceId: id, version },
    overlay: testFiles.length === 0 ? undefined : { paths: testFiles },
  }
  const notes = [
    ...(isUnknown ? [`the parser ${named} is unknown, so that a report of the tests is needed`] : []),
    ...(testFiles.length === 0 ? ['no test is hidden: test_patch adds none'] : []),
    ...(failToPass.length === 0 ? ['FAIL_TO_PASS is empty, so that doing nothing may pass'] : []),
    ...deleted.map((path) => `test_patch deletes ${path}, which stays`),
  ]
  return { judge, notes }
}

/** Inserts the test files into the command, and chooses how its results are read. */
function runOf(
  line: string,
  files: readonly string[],
  parser: string | undefined,
): { readonly command: string | readonly string[]; readonly parser?: string; readonly reports?: string } {
  const words = splitWords(line)
  if (words === undefined) return { command: fileList(line, files), parser }
  const filled = words.flatMap((word) => (word === '{files}' ? files : [word]))
  const isPytest = words.some((word) => word === 'pytest' || word.endsWith('/pytest'))
  if (isPytest) {
    const summary = words.some((word) => /^-r\w/.test(word)) ? [] : ['-rA']
    return { command: [...filled, ...summary], parser: parser ?? 'pytest_v2' }
  }
  return parser === undefined ? reported(filled) : { command: filled, parser }
}

/** The parsers for repositories whose datasets name none: SWE-bench and its Verified, Lite and Multimodal sets. */
const parsers: Readonly<Record<string, string>> = {
  'astropy/astropy': 'astropy',
  'django/django': 'django',
  'marshmallow-code/marshmallow': 'marshmallow',
  'matplotlib/matplotlib': 'matplotlib',
  'mwaskom/seaborn': 'seaborn',
  'pallets/flask': 'flask',
  'psf/requests': 'requests',
  'pvlib/pvlib-python': 'pvlib',
  'pydata/xarray': 'xarray',
  'pydicom/pydicom': 'pydicom',
  'pylint-dev/astroid': 'astroid',
  'pylint-dev/pylint': 'pylint',
  'pytest-dev/pytest': 'pytest',
  'pyvista/pyvista': 'pyvista',
  'scikit-learn/scikit-learn': 'scikit',
  'sphinx-doc/sphinx': 'sphinx',
  'sqlfluff/sqlfluff': 'sqlfluff',
  'sympy/sympy': 'sympy',
  'Automattic/wp-calypso': 'calypso',
  'bpmn-io/bpmn-js': 'bpmn_js',
  'chartjs/Chart.js': 'chart_js',
  'diegomura/react-pdf': 'react_pdf',
  'eslint/eslint': 'eslint',
  'markedjs/marked': 'marked',
  'openlayers/openlayers': 'openlayers',
  'processing/p5.js': 'p5js',
}

/**
 * The parsers of SWE-bench Multilingual. They read the output of the harness's commands, so they fit a command of the
 * caller, but not the usual one of such a project, which writes a report.
 */
const multilingual: Readonly<Record<string, readonly string[]>> = {
  cargo: [
    ...['astral-sh/ruff', 'burntsushi/ripgrep', 'nushell/nushell', 'sharkdp/bat'],
    ...['tokio-rs/axum', 'tokio-rs/tokio', 'uutils/coreutils'],
  ],
  gotest: ['caddyserver/caddy', 'gin-gonic/gin', 'gohugoio/hugo', 'hashicorp/terraform', 'prometheus/prometheus'],
  maven: ['apache/druid', 'google/gson', 'javaparser/javaparser'],
  gradle_custom: ['apache/lucene', 'reactivex/rxjava'],
  ant: ['projectlombok/lombok'],
  phpunit: ['briannesbitt/carbon', 'laravel/framework', 'php-cs-fixer/php-cs-fixer', 'phpoffice/phpspreadsheet'],
  rspec_transformed_json: ['fastlane/fastlane', 'jordansissel/fpm', 'rubocop/rubocop'],
  ruby_unit: ['faker-ruby/faker', 'fluent/fluentd'],
  jekyll: ['jekyll/jekyll'],
  redis: ['redis/redis', 'valkey-io/valkey'],
  jq: ['jqlang/jq'],
  doctest: ['nlohmann/json'],
  micropython_test: ['micropython/micropython'],
  googletest: ['fmtlib/fmt'],
  jest: ['babel/babel', 'facebook/docusaurus'],
  tap: ['axios/axios', 'mrdoob/three.js'],
  karma: ['preactjs/preact'],
  vitest: ['vuejs/core'],
  immutable_js: ['immutable-js/immutable-js'],
  carbon: ['carbon-design-system/carbon', 'prettier/prettier', 'scratchfoundation/scratch-gui'],
  grommet: ['grommet/grommet'],
  highlightjs: ['highlightjs/highlight.js'],
  lighthouse: ['GoogleChrome/lighthouse'],
  next: ['alibaba-fusion/next'],
  prismjs: ['PrismJS/prism'],
  quarto_cli: ['quarto-dev/quarto-cli'],
}

const byRepository = new Map(
  Object.entries(multilingual).flatMap(([parser, repos]) => repos.map((repo) => [repo.toLowerCase(), parser])),
)

/** Repositories whose logs name only failed tests. */
const failOnly: ReadonlySet<string> = new Set([
  ...['chartjs/Chart.js', 'processing/p5.js', 'markedjs/marked', 'bpmn-io/bpmn-js'],
  ...['openlayers/openlayers', 'eslint/eslint'],
])

/**
 * Returns the parser of an instance without `parse_log_`: the one that its dataset names, otherwise that of its
 * repository; `undefined` if none is known.
 */
function parserNameOf({ logParser, repo }: Instance, isCommandGiven: boolean): string | undefined {
  if (logParser !== undefined) return logParser.replace(/^parse_log_/, '')
  return parsers[repo] ?? (isCommandGiven ? byRepository.get(repo.toLowerCase()) : undefined)
}
