import { isRunnable } from '../git/project-paths.js'
import { fileList, reported, usualTestCommand } from '../git/test-command.js'
import { splitWords } from '../git/words.js'
import type { Instance } from './instances.js'
import type { InstanceTrees } from './repository-trees.js'

/** The parsers of repositories whose older datasets name none. */
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

/** Repositories whose logs name failed tests only. */
const failOnly: ReadonlySet<string> = new Set([
  ...['chartjs/Chart.js', 'processing/p5.js', 'markedjs/marked', 'bpmn-io/bpmn-js'],
  ...['openlayers/openlayers', 'eslint/eslint'],
])

/** The judge of an instance, and what a person should know of it. */
export interface GradedTests {
  readonly judge: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/**
 * The judge of an instance: the tests of its patch, laid over a copy of the work.
 *
 * @param line what runs the tests; `undefined`: the usual command of such a project
 * @param known the parsers that there are
 * @returns the judge, or what it lacks
 */
export function gradedTests(
  instance: Instance,
  { testFiles, deleted, root }: InstanceTrees,
  line: string | undefined,
  known: readonly string[],
): GradedTests | { readonly problem: string } {
  const { id, repo, failToPass, passToPass, version } = instance
  const command = line ?? usualTestCommand(root)?.shown
  if (command === undefined) return { problem: 'how its tests run is not known: give --test-command' }
  const named = instance.logParser?.replace(/^parse_log_/, '') ?? parsers[repo]
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
    ...(run.parser !== undefined && isFailOnly(instance) ? { failOnly: true } : {}),
    instanceId: id,
    ...(version === undefined ? {} : { version }),
    ...(testFiles.length === 0 ? {} : { overlay: { paths: testFiles } }),
  }
  const notes = [
    ...(isUnknown ? [`the parser ${named} is unknown, so that a report of the tests is needed`] : []),
    ...(testFiles.length === 0 ? ['no test is hidden: test_patch adds none'] : []),
    ...(failToPass.length === 0 ? ['FAIL_TO_PASS is empty, so that doing nothing may pass'] : []),
    ...deleted.map((path) => `test_patch deletes ${path}, which stays`),
  ]
  return { judge, notes }
}

function isFailOnly({ repo, evalType }: Instance): boolean {
  return evalType === undefined ? failOnly.has(repo) : evalType === 'fail_only'
}

interface Run {
  readonly command: string | readonly string[]
  readonly parser?: string
  readonly reports?: string
}

/** The command with the test files in it, and how its results are read. */
function runOf(line: string, files: readonly string[], parser: string | undefined): Run {
  const words = splitWords(line)
  if (words === undefined) return { command: fileList(line, files), ...(parser === undefined ? {} : { parser }) }
  const filled = words.flatMap((word) => (word === '{files}' ? files : [word]))
  const isPytest = words.some((word) => word === 'pytest' || word.endsWith('/pytest'))
  if (isPytest) {
    const summary = words.some((word) => /^-r\w/.test(word)) ? [] : ['-rA']
    return { command: [...filled, ...summary], parser: parser ?? 'pytest_v2' }
  }
  return parser === undefined ? reported(filled) : { command: filled, parser }
}
