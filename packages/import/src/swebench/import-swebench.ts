import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, existingDirectory, type FlagValues } from '@jurist/experiment/plugin'
import { parseOrUndefined } from '@jurist/kit/json'
import { shownFromHere } from '@jurist/kit/shown-path'
import { logParserNames } from '@jurist/workspace/internal'
import * as v from 'valibot'
import type { sharedGitFlags, swebenchFlags } from '../flags.js'
import { fileList, reported, setupCommands, splitWords, usualTestCommand } from '../git/project-commands.js'
import { isRunnable } from '../git/project-paths.js'
import {
  earlierImport,
  entryOf,
  type ItemNote,
  itemDirectory,
  jsonFile,
  type ListedItem,
  listed,
  listedNotes,
  newProject,
  nextSteps,
  sourceFile,
  writeFiles,
  writeProject,
} from '../new-project.js'
import { projectName } from '../task-directories.js'
import { readDocuments, unreadable } from '../traces/trace-files.js'
import { type Instance, keptFields, readInstances } from './instances.js'
import { findClones, type InstanceTrees, type MadeTrees, makeTrees, reasonIn } from './repository-trees.js'

/** The judge of an instance, with notes for the user. */
interface GradedTests {
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
  const { instance_id: id, FAIL_TO_PASS: failToPass, PASS_TO_PASS: passToPass, version, eval_type: evalType } = instance
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
function parserNameOf({ log_parser: logParser, repo }: Instance, isCommandGiven: boolean): string | undefined {
  if (logParser !== undefined) return logParser.replace(/^parse_log_/, '')
  return parsers[repo] ?? (isCommandGiven ? byRepository.get(repo.toLowerCase()) : undefined)
}

type SwebenchFlags = FlagValues<typeof sharedGitFlags> & FlagValues<typeof swebenchFlags>

/** Creates a project from instances of SWE-bench, or adds missing items to an existing one. */
export async function importSwebench(
  host: CommandHost,
  source: string,
  out: string,
  flags: SwebenchFlags,
): Promise<ExitCode> {
  const root = resolve(host.cwd, out)
  const earlier = await earlierImport({
    ...{ root, shown: out, resume: flags.resume, source: 'SWE-bench' },
    read: () => earlierProject(root),
  })
  if (earlier !== undefined) {
    using interrupt = host.interruptible(() => 'Stopping. The project stays as it was; --resume continues.')
    const { signal } = interrupt
    return report(host, root, await makeItems(host, source, { flags, directory: root, signal, earlier }))
  }
  const { made } = await newProject(host, out, (directory, signal) =>
    makeItems(host, source, { flags, directory, signal, earlier }),
  )
  return report(host, root, made)
}

async function makeItems(
  host: CommandHost,
  source: string,
  { flags, directory, signal, earlier }: Making & { readonly earlier: EarlierProject | undefined },
) {
  const file = await sourceFile(host, source, 'Name the instances, a .json or .jsonl file.')
  const read = readInstances(await readDocuments({ path: file, shown: source }))
  if ('problems' in read) throw unreadable(source, read.problems)
  const instances = read.instances.filter(({ instance_id: id }) => earlier?.whole.has(id) !== true)
  const there = read.instances.map(({ instance_id: id }) => id).filter((id) => earlier?.whole.has(id) === true)
  const repos = [...new Set(instances.map(({ repo }) => repo))].sort()
  const clones =
    flags.repositories === undefined
      ? new Map<string, string>()
      : await findClones(await existingDirectory(flags.repositories, '--repositories', host.cwd), repos, signal)
  const notes: ItemNote[] = read.notes.map((note) => ({ of: null, note }))
  const solved = new Map<string, SwebenchItem>()
  for (const [repo, clone] of clones) {
    const those = instances.filter((instance) => instance.repo === repo)
    for (const item of await itemsOf(host, { flags, directory, signal, notes }, { repo, clone, those }))
      solved.set(item.instance.instance_id, item)
  }
  signal.throwIfAborted()
  // An instance without files is kept, but disabled.
  const items = instances.map((instance) => solved.get(instance.instance_id) ?? { instance })
  const made = { items, there, missing: repos.filter((repo) => !clones.has(repo)), notes }
  if (earlier !== undefined) {
    await addItems(directory, earlier, items)
    return made
  }
  const paths = new Set(items.flatMap(({ solved }) => [...(solved?.trees.root.paths ?? [])]))
  for (const item of items) await writeInstance(directory, item)
  await writeProject(directory, {
    about: 'Instances of SWE-bench. Each is judged by the tests of its test_patch',
    name: projectName(basename(source, extname(source)), 'swe-bench'),
    items: items.map(listedItem),
    metadata: { source: { format: 'swe-bench' } },
    sandbox: flags.sandbox,
    setup: flags.setup === undefined ? undefined : setupCommands(flags.setup, flags.keep, paths),
    settings: [
      '# The items describe the command that runs their tests: read them before you trust a file that you did not make.',
      'trustItems: true',
    ],
  })
  return made
}

interface Making {
  readonly flags: SwebenchFlags
  readonly directory: string
  readonly signal: AbortSignal
}

/** Returns the items of a repository that has a clone. */
async function itemsOf(
  host: CommandHost,
  { flags, directory, signal, notes }: Making & { readonly notes: ItemNote[] },
  { repo, clone, those }: { readonly repo: string; readonly clone: string; readonly those: readonly Instance[] },
): Promise<readonly SwebenchItem[]> {
  const target = join(directory, 'dataset', repositoryPath(repo))
  await mkdir(join(directory, 'dataset', 'repositories'), { recursive: true })
  const onProgress = (done: number) => {
    if (done % 50 === 0) host.note(`${repo}: ${done} of ${counted(those.length, 'instance')}`)
  }
  const isNew = (await stat(target).catch(() => undefined)) === undefined
  const made = await makeTrees(those, { clone, target, signal, onProgress }).catch(reasonIn)
  if (typeof made === 'string') {
    if (isNew) await rm(target, { recursive: true, force: true })
    notes.push({ of: repo, note: `its clone cannot be read: ${made}` })
    return []
  }
  return those.map((instance) => {
    const solved = solvedOf(instance, made, flags.testCommand)
    notes.push(...solved.notes.map((note) => ({ of: instance.instance_id, note })))
    return { instance, solved: solved.item && { ...solved.item, repoPath: repositoryPath(repo) } }
  })
}

function solvedOf(instance: Instance, made: MadeTrees, testCommand: string | undefined) {
  const trees = made.get(instance.instance_id) ?? { problem: 'its files could not be made' }
  if ('problem' in trees) return { notes: [trees.problem] }
  const tests = gradedTests(instance, trees, testCommand, logParserNames)
  if ('problem' in tests) return { notes: [tests.problem] }
  return { item: { trees, judge: tests.judge }, notes: tests.notes }
}

function report(
  host: CommandHost,
  root: string,
  { items, there, missing, notes }: Awaited<ReturnType<typeof makeItems>>,
): ExitCode {
  const ready = items.filter(({ solved }) => solved !== undefined).map(({ instance }) => instance.instance_id)
  const disabled = items.length - ready.length
  if (host.flags.json === true) {
    host.json({ directory: root, items: ready, there, disabled, missing, notes })
    return 0
  }
  const { out } = host.terminal
  const shown = shownFromHere(root)
  const before =
    there.length === 0 ? '' : ` ${counted(there.length, 'item')} ${there.length === 1 ? 'was' : 'were'} there.`
  out(
    `${before === '' ? 'Made' : 'Added to'} ${shown}: ${counted(items.length, 'item')}, ${disabled} of them disabled.${before}\n`,
  )
  if (missing.length > 0) {
    out('\nWithout a clone, and so without files:\n')
    out(listed(missing.map((repo) => `${repo}: git clone --bare https://github.com/${repo} CLONES/${repo}.git`)))
    out('Then import again with --repositories CLONES --resume.\n')
  }
  if (notes.length > 0) out(`\nLook at:\n${listedNotes(notes)}`)
  if (ready.length > 0) out(nextSteps(root, 'vet establish', 'run'))
  return 0
}

/** An instance, with its files and its judge if its repository was found. */
interface SwebenchItem {
  readonly instance: Instance
  readonly solved?: {
    readonly trees: InstanceTrees
    readonly judge: Readonly<Record<string, unknown>>
    /** The path of its repository, relative to the dataset. */
    readonly repoPath: string
  }
}

/** Adds items to a project. Nothing else changes, and an item that still lacks its files stays as it is. */
async function addItems(root: string, { manifest }: EarlierProject, items: readonly SwebenchItem[]): Promise<void> {
  const known = new Set(manifest.items.map(({ id }) => id))
  for (const item of items)
    if (item.solved !== undefined || !known.has(item.instance.instance_id)) await writeInstance(root, item)
  const ready = new Set(items.flatMap(({ instance, solved }) => (solved === undefined ? [] : [instance.instance_id])))
  const kept = manifest.items.map(({ status, ...entry }) =>
    status === undefined || ready.has(entry.id) ? entry : { ...entry, status },
  )
  const added = items
    .filter(({ instance }) => !known.has(instance.instance_id))
    .map((item) => entryOf(listedItem(item)))
  // The manifest is replaced atomically: a half-written one would not be a dataset.
  const file = join(root, 'dataset', 'dataset.json')
  await writeFile(`${file}.tmp`, jsonFile({ ...manifest, items: [...kept, ...added] }))
  await rename(`${file}.tmp`, file)
}

function listedItem({ instance: { instance_id: id }, solved }: SwebenchItem): ListedItem {
  return { id, isDisabled: solved === undefined }
}

/** The path of a repository, relative to the dataset. */
function repositoryPath(repo: string): string {
  return `repositories/${repo.replace('/', '__')}.git`
}

async function writeInstance(root: string, { instance, solved }: SwebenchItem): Promise<void> {
  const { instance_id: id, repo, base_commit, problem_statement: problem, version } = instance
  const kept = Object.fromEntries(keptFields.map((name) => [name, instance[name]]))
  const git = (commitHash: string) => ({ repoPath: solved?.repoPath, commitHash })
  const item = {
    ...(solved && { beforeRef: git(solved.trees.before), referenceRef: git(solved.trees.reference) }),
    ...(solved && { judges: { tests: solved.judge } }),
    tags: [repo],
    metadata: { source: { instance_id: id, repo, base_commit, version, ...kept } },
  }
  const task = problem.endsWith('\n') ? problem : `${problem}\n`
  await writeFiles(itemDirectory(root, id), { 'task.md': task, 'item.json': jsonFile(item) })
}

interface EarlierProject {
  /** Its manifest, which may have been edited since. */
  readonly manifest: v.InferOutput<typeof earlierSchema>
  /** The items that have their files. The others are imported again. */
  readonly whole: ReadonlySet<string>
}

/** Reads the project of an earlier import of SWE-bench; `undefined` for any other directory. */
async function earlierProject(root: string): Promise<EarlierProject | undefined> {
  const dataset = join(root, 'dataset')
  const manifest = await jsonIn(join(dataset, 'dataset.json'))
  if (!v.is(earlierSchema, manifest)) return undefined
  const { items } = manifest
  const whole = new Set<string>()
  for (const { id, path } of items) {
    const item = await jsonIn(join(dataset, path, 'item.json'))
    if (isPlainObject(item) && item['beforeRef'] !== undefined) whole.add(id)
  }
  return { manifest, whole }
}

const earlierSchema = v.looseObject({
  items: v.array(v.looseObject({ id: v.string(), path: v.string(), status: v.exactOptional(v.string()) })),
  metadata: v.looseObject({ source: v.looseObject({ format: v.literal('swe-bench') }) }),
})

async function jsonIn(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseOrUndefined(text)
}
