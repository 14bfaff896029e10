import { readFile, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import type { ExperimentOptions, Reporter } from '@jurist/experiment'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, type FlagValues, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { shownFromHere } from '@jurist/kit/shown-path'
import { type EstablishReport, establish } from '@jurist/vet'
import type { gitFlags } from '../flags.js'
import { earlierImport, listedNotes, nextSteps, writeProject } from '../new-project.js'
import { type ImportChoices, type LeftOut, leftOutWords } from './candidates.js'
import { type Imported, importRepository, type Unsound } from './import-repository.js'
import { type Issues, readIssues } from './item.js'
import { findRepository, openRepository, type RepositoryPlace, reading } from './open-repository.js'
import { type ImportedState, readState, rewriteProject } from './project.js'
import {
  type ProjectRoot,
  projectRoot,
  setupCommands,
  setupInputsOf,
  type TestCommand,
  testCommand,
  usualTestCommand,
} from './project-commands.js'
import { type ProjectPaths, projectPaths } from './project-paths.js'

type GitFlags = FlagValues<typeof gitFlags> & { readonly out: string | undefined }

/** Imports the history of a repository. If no item is found, nothing is left behind; a later failure keeps the items. */
export async function importGit(host: CommandHost, given: string, flags: GitFlags): Promise<ExitCode> {
  using interrupt = host.interruptible(() => 'Stopping. What is finished is kept; --resume continues.')
  const { signal } = interrupt
  const issues = await issuesOf(host, flags.issues)
  const found = await findRepository(given, host.cwd, signal)
  const root = outOf(host, found, flags.out)
  const earlier = await earlierImport({
    ...{ root, resume: flags.resume, source: 'a repository' },
    shown: relative(host.cwd, root) || root,
    read: () => readState(root),
  })
  let isKept = earlier !== undefined
  try {
    const choices = chosen(flags, earlier)
    const repository = await openRepository(found, join(root, 'dataset'), signal)
    const [files, ever] = await reading(repository, signal, async (git) => [
      await projectRoot(git, flags.branch ?? 'HEAD'),
      await setupInputsOf(git, flags.branch),
    ])
    const tests = testsOf(files, choices)
    const config = {
      sandbox: choices.sandbox,
      setup: setupCommands(choices.setup, choices.keep ?? [], ever),
      done: tests.judge([]),
    }
    if (earlier === undefined)
      await writeProject(root, {
        about: `Tasks of the history of ${repository.name}. Each is judged by the tests of its commit`,
        name: repository.name,
        ...config,
        settings: [
          '# The items describe the command that runs their tests. You imported them from your own repository.',
          'trustItems: true',
        ],
      })
    else if (!isSameConfig(choices, earlier.choices)) await rewriteProject(root, config)
    const experiment = await configured(host, root)
    const onEvent = host.progress()
    host.note(`Tests: ${tests.shown}`)
    const paths = await projectPaths(choices)
    const imported = await importRepository({
      ...{ repository, root, choices, earlier, max: flags.max, copy: flags.copy, signal },
      mining: {
        ...{ paths, issues, sources: choices.source ?? [], allowed: choices.allowSecret ?? [], branch: flags.branch },
        limits: { maxFiles: choices.maxFiles ?? 5, maxLines: choices.maxLines ?? 300 },
        testsOf: (at) => (choices.testCommand === undefined ? usualTestCommand(at, choices.setup) : undefined) ?? tests,
        since: flags.since === undefined ? undefined : new Date(flags.since).toISOString(),
      },
      validate: (ids) => unsoundItems(experiment, ids, { repeat: flags.repeat, signal, onEvent }),
      onProgress: ({ looked, items, max }) =>
        host.note(`${counted(looked, 'commit')} looked at, ${items} of ${max} items`),
    })
    isKept ||= imported.stopped
    return reportImport(host, imported, root, paths)
  } finally {
    isKept ||= ((await readState(root))?.items.length ?? 0) > 0
    if (!isKept) await rm(root, { recursive: true, force: true })
  }
}

/** Returns the choices of the flags, and for missing ones those of an earlier import. */
function chosen(flags: GitFlags, earlier: ImportedState | undefined): ImportChoices {
  const { source, tests, maxFiles, maxLines, testCommand, setup, keep, sandbox, isolate, issues, allowSecret } = flags
  const given = Object.entries({
    ...{ source, tests, maxFiles, maxLines, testCommand, setup, keep, sandbox, issues, allowSecret },
    isolate: isolate ? true : undefined,
  }).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
  return { ...earlier?.choices, ...Object.fromEntries(given) }
}

function isSameConfig(now: ImportChoices, before: ImportChoices): boolean {
  const of = ({ sandbox, setup, keep, testCommand }: ImportChoices) =>
    JSON.stringify([sandbox, setup, keep, testCommand])
  return of(now) === of(before)
}

/** Reads the config that was written, since someone may have changed it in the meantime. */
async function configured(host: CommandHost, root: string): Promise<ExperimentOptions> {
  const [experiment] = await host.experiments([], join(root, 'jurist.config.yaml'))
  if (experiment === undefined) throw usageInvalid('--resume', 'The config has no experiment. Name another directory.')
  return { ...experiment, concurrency: availableParallelism(), maxInfrastructureFailures: false }
}

/** The default is beside the repository: inside it, its test runner would find the tests of kept workspaces. */
function outOf({ cwd, note }: CommandHost, { name, at }: RepositoryPlace, out: string | undefined): string {
  if (out === undefined) return resolve('directory' in at ? dirname(at.directory) : cwd, `${name}-evals`)
  const directory = resolve(cwd, out)
  if ('directory' in at && directory.startsWith(`${at.directory}/`))
    note(`notice: ${out} is inside the repository. Its own tests may find those of workspaces that runs keep there.`)
  return directory
}

async function issuesOf({ cwd }: CommandHost, file: string | undefined): Promise<Issues> {
  if (file === undefined) return new Map()
  const content = await readFile(resolve(cwd, file), 'utf8').catch(() => undefined)
  if (content === undefined) throw usageInvalid('--issues', `--issues ${file} cannot be read. Name a file.`)
  const issues = readIssues(content)
  if (issues !== undefined) return issues
  const form = '[{"number": 12, "title": "…", "body": "…"}]'
  throw usageInvalid('--issues', `--issues ${file} must hold issues as JSON: ${form}. gh issue list --json writes it.`)
}

/** Returns the test command of the flags, or the usual one of a project with these files. */
function testsOf(root: ProjectRoot, { testCommand: given, setup }: ImportChoices): TestCommand {
  const tests = given === undefined ? usualTestCommand(root, setup) : testCommand(given)
  if (tests !== undefined) return tests
  throw usageInvalid(
    '--test-command',
    'How the tests run is not known: there is no test script, pyproject.toml, go.mod, Cargo.toml or build file at the root. Give --test-command, such as "make test".',
  )
}

/**
 * Writes the locks of the sound items: those whose reference passes every time and whose initial state does not.
 *
 * @returns the reason why each of the others is not sound
 */
async function unsoundItems(
  experiment: ExperimentOptions,
  ids: readonly string[],
  establishing: { readonly repeat: number; readonly signal: AbortSignal; readonly onEvent: Reporter },
): Promise<ReadonlyMap<string, Unsound>> {
  const filter = { id: ids, status: 'any' } as const
  const notInstalled = new Set<string>()
  const onEvent: Reporter = (event) => {
    if (event.type === 'item-end' && event.result.failure?.code === 'setup-failed') notInstalled.add(event.itemId)
    return establishing.onEvent(event)
  }
  const { items } = await establish({ ...experiment, filter }, { ...establishing, onEvent, write: true })
  const found = new Map(items.map((item) => [item.itemId, item]))
  return new Map(
    ids.flatMap((id) => {
      const unsound = problemOf(found.get(id))
      const because = notInstalled.has(id) ? ({ leftOut: 'not-installed' } as const) : {}
      return unsound === undefined ? [] : [[id, { ...unsound, ...because }] as const]
    }),
  )
}

function problemOf(item: EstablishReport['items'][number] | undefined): Unsound | undefined {
  const failed = item?.reference?.reason ?? null
  if (item === undefined) return { leftOut: 'not-judged', why: null }
  if (item.flaky) return { leftOut: 'flaky', why: failed }
  if (item.solvable === null) return { leftOut: 'not-judged', why: failed }
  if (!item.solvable) return { leftOut: 'reference-fails', why: failed }
  if (item.trivial === null) return { leftOut: 'not-judged', why: item.idle?.reason ?? null }
  if (item.trivial) return { leftOut: 'passes-before', why: null }
  // The judge expects the tests of the lock, and there is nothing to lock.
  const isNamed = item.tests !== null && item.tests.failToPass.length > 0
  return isNamed
    ? undefined
    : { leftOut: 'no-named-test', why: 'Name a test command that writes a report, such as pytest or jest' }
}

function reportImport(
  host: CommandHost,
  { state, notes, stopped }: Imported,
  directory: string,
  { globs }: ProjectPaths,
): ExitCode {
  const reasons = countsOf(state)
  const items = state.items.map(({ id }) => id)
  if (host.flags.json === true) {
    host.json({ directory, items, leftOut: reasons, notes, stopped })
    return exitCode(state, stopped)
  }
  const { out } = host.terminal
  const looked = counted(items.length + Object.keys(state.leftOut).length, 'commit')
  const shown = shownFromHere(directory)
  out(`${counted(items.length, 'item')} of ${looked}${items.length === 0 ? '' : ` in ${join(shown, 'dataset')}`}\n`)
  for (const [reason, count] of Object.entries(reasons))
    out(`  left out: ${count}  ${leftOutWords(reason as LeftOut)}\n`)
  if (notes.length > 0) out(`\nLook at:\n${listedNotes(notes)}`)
  if (items.length === 0 && stopped)
    out('\nStopped before the first item was found. The same command with --resume continues.\n')
  else if (items.length === 0) out(`\nNothing to import${nothingWhy(reasons, globs)}\n`)
  else {
    out(nextSteps(directory, 'vet', 'run'))
    const config = join(relative(process.cwd(), directory), 'jurist.config.yaml')
    out(`Then, in the repository:\n  ${commandLine('-c', config, 'hook', 'install', 'claude')}\n`)
  }
  return exitCode(state, stopped)
}

/** Explains why nothing was imported and what to do about it. */
function nothingWhy(reasons: ReturnType<typeof countsOf>, globs: ProjectPaths['globs']): string {
  const { 'not-judged': broken = 0, 'reference-fails': failing = 0, 'no-named-test': unnamed = 0 } = reasons
  const { 'not-installed': missing = 0 } = reasons
  if (missing > 0)
    return `: the packages of ${counted(missing, 'commit')} could not be installed. Where the tests need none: --setup none. Otherwise name what installs them: --setup "npm install".`
  if (broken > 0)
    return `: the tests of ${counted(broken, 'commit')} could not be run. Name what runs them: --test-command; what installs their packages: --setup "npm install".`
  if (failing > 0)
    return `: the tests of ${counted(failing, 'commit')} fail with the commit. Name what installs the packages (--setup) or runs the tests (--test-command).`
  if (unnamed > 0) return '. Name a test command that writes a report: --test-command "npx jest {files}".'
  return `. Sources: ${globs.source.join(', ')}. Tests: ${globs.tests.join(', ')}. Name others with --source and --tests.`
}

function exitCode({ items }: ImportedState, stopped: boolean): ExitCode {
  if (stopped) return 130
  return items.length === 0 ? 1 : 0
}

function countsOf({ leftOut }: ImportedState): { readonly [reason in LeftOut]?: number } {
  const counts: { [reason in LeftOut]?: number } = {}
  for (const reason of Object.values(leftOut)) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}
