import { copyFile, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { type CommandHost, type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { copyOf } from '@jurist/workspace'
import { testCommand } from '../git/project-commands.js'
import {
  type ItemNote,
  itemDirectory,
  jsonFile,
  kept,
  newProject,
  reportImport,
  type SetupCommand,
  sourceDirectory,
  writeFiles,
  writeProject,
} from '../new-project.js'
import {
  digestOf,
  filesOf,
  listedProblems,
  projectName,
  type Refuse,
  taskDirectories,
  taskId,
  textOf,
} from '../task-directories.js'

export async function importAgentEval(
  host: CommandHost,
  given: string,
  out: string,
  scripts: readonly string[],
): Promise<ExitCode> {
  const project = await sourceDirectory(host, given, 'Name the evals directory of an agent-eval project.')
  const evals = join(project, 'evals')
  const isProject = (await stat(evals).catch(() => undefined))?.isDirectory() ?? false
  const source = isProject ? evals : project
  const { root, made } = await newProject(host, out, async (directory, signal) => {
    const fixtures = await readFixtures(source, isProject ? join(given, 'evals') : given)
    refuseUnknown(scripts, fixtures)
    for (const fixture of fixtures) {
      signal.throwIfAborted()
      const own = scripts.filter((script) => fixture.scripts.has(script))
      await writeFixture(itemDirectory(directory, fixture.id), fixture, own)
    }
    await writeProject(directory, {
      about: 'agent-eval evaluations. The hidden tests of each judge the work after the agent',
      name: projectName(isProject ? basename(project) : basename(source), 'agent-eval'),
      items: fixtures.map(({ id, needs }) => ({ id, isDisabled: needs.length > 0 })),
      setup: setupOf(fixtures),
      settings: ['# The items describe the commands that run their tests.', 'trustItems: true'],
    })
    return fixtures
  })
  const experiments = await experimentNotes(dirname(source))
  const notes = [...made.flatMap((fixture) => notesOf(fixture, scripts)), ...experiments]
  reportImport(host, root, { items: made.map(({ id }) => id), leftOut: [], unknown: {}, notes, next: ['run'] })
  return 0
}

function refuseUnknown(scripts: readonly string[], fixtures: readonly Fixture[]): void {
  const unknown = scripts.filter((script) => !fixtures.some((fixture) => fixture.scripts.has(script)))
  if (unknown.length === 0) return
  const named = unknown.map((script) => JSON.stringify(script)).join(', ')
  throw usageInvalid('--script', `No package.json has a script ${named}. Nothing was written.`)
}

function notesOf({ id, needs, namesVitest, scripts }: Fixture, wanted: readonly string[]): readonly ItemNote[] {
  const missing = wanted.filter((script) => !scripts.has(script))
  return [
    ...needs.map((need) => `${need}, which agent-eval alone gives; the item is disabled`),
    ...(namesVitest ? [] : ['package.json does not name vitest, which runs its tests: add it to before/package.json']),
    ...missing.map((script) => `package.json has no script ${JSON.stringify(script)}, so none is judged`),
  ].map((note) => ({ of: id, note }))
}

/** Experiments of agent-eval are programs, which cannot be imported. */
async function experimentNotes(project: string): Promise<readonly ItemNote[]> {
  const directory = join(project, 'experiments')
  // With `withFileTypes`, `readdir` does not follow links.
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const note =
    'is a program: its agent, model, runs, scripts and set-up are not imported. Write them in jurist.config.yaml; --script adds scripts'
  return entries
    .filter(({ name }) => /\.[mc]?[jt]s$/.test(name))
    .map(({ parentPath, name }) => relative(project, join(parentPath, name)))
    .sort()
    .map((of) => ({ of, note }))
}

/** Makes Vitest run the tests of an evaluation and nothing else. agent-eval writes the same file. */
const configFile = 'vitest.config.ts'

/** The directory of an item whose files replace those of the workspace before its tests run. */
const hidden = 'hidden'

async function writeFixture(directory: string, fixture: Fixture, scripts: readonly string[]): Promise<void> {
  const { testFile } = fixture
  await writeFiles(directory, {
    'task.md': fixture.prompt,
    'item.json': jsonFile(itemOf(fixture, scripts)),
    [join(hidden, configFile)]: configOf(testFile),
  })
  const before = await kept(copyOf(fixture.directory, { to: join(directory, 'before'), ignore: notCopied }))
  for (const path of fixture.hidden) await rm(join(before.root, path))
  await copyFile(join(fixture.directory, testFile), join(directory, hidden, testFile))
}

function configOf(testFile: string): string {
  return `import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['${testFile}'], globals: false } })
`
}

function itemOf({ testFile, digest, needs }: Fixture, scripts: readonly string[]): object {
  const tests = {
    ...testCommand('npx vitest run {files}').judge([testFile]),
    overlay: { from: hidden, paths: [testFile, configFile] },
  }
  const builds = scripts.map((script) => [
    `script ${script}`,
    { type: 'build-succeeds', tool: 'npm', arguments: [script] },
  ])
  return {
    judges: { tests, ...Object.fromEntries(builds) },
    metadata: { source: { format: 'agent-eval', digest, ...(needs.length === 0 ? {} : { needs }) } },
  }
}

/** The commands that install the packages of a workspace, by lock file. */
const installers = [
  { lock: 'pnpm-lock.yaml', command: ['pnpm', 'install', '--frozen-lockfile'] },
  { lock: 'yarn.lock', command: ['yarn', 'install', '--frozen-lockfile'] },
  { lock: 'package-lock.json', command: ['npm', 'install', '--no-audit', '--no-fund'] },
] as const

/** All items share one setup command: the installer of their most frequent lock file. */
function setupOf(fixtures: readonly Fixture[]): SetupCommand {
  const having = (lock: string) => fixtures.filter(({ root }) => root.has(lock)).length
  const [best] = [...installers].sort((one, other) => having(other.lock) - having(one.lock))
  const { lock, command } = best !== undefined && having(best.lock) > 0 ? best : installers[2]
  return { command, inputs: ['package.json', lock], keeps: ['node_modules'] }
}

/** An evaluation of agent-eval on disk. */
interface Fixture {
  readonly id: string
  readonly directory: string
  readonly prompt: string
  /** The file with its tests: `EVAL.ts`, or `EVAL.tsx` if it exists. */
  readonly testFile: string
  /** Files that the agent must not see. */
  readonly hidden: readonly string[]
  /** The names of the files in its root directory. */
  readonly root: ReadonlySet<string>
  readonly scripts: ReadonlySet<string>
  readonly namesVitest: boolean
  /** The features of agent-eval that its tests rely on, with line numbers. */
  readonly needs: readonly string[]
  /** SHA-256 (hex) of its files. */
  readonly digest: string
}

/** Left out of workspaces in every directory, as agent-eval does: hidden from the agent or generated. */
const hiddenNames: ReadonlySet<string> = new Set(['PROMPT.md', 'EVAL.ts', 'EVAL.tsx'])
const notCopied: readonly string[] = ['node_modules', '.git']

/** Matches the transcript, the judge and the environment of agent-eval. */
const ofAgentEval = /__agent_eval__|@vercel\/agent-eval/

/**
 * Reads the evaluations of a directory: the directory itself, or all directories below it that contain a PROMPT.md.
 *
 * @throws `usage-invalid` with every problem
 */
async function readFixtures(directory: string, shownAs: string): Promise<readonly Fixture[]> {
  const places = await taskDirectories(directory, 'PROMPT.md')
  if (places.length === 0)
    throw usageInvalid('source', `${shownAs} holds no PROMPT.md. Name the evals directory of an agent-eval project.`)
  const problems: string[] = []
  const fixtures: Fixture[] = []
  const ids = new Set<string>()
  for (const place of places) {
    const shown = join(shownAs, relative(directory, place))
    const refuse: Refuse = (file, problem) => void problems.push(`${join(shown, file)}: ${problem}`)
    const fixture = await readFixture(place, taskId(directory, place, ids), refuse)
    if (fixture !== undefined) fixtures.push(fixture)
  }
  if (problems.length === 0) return fixtures
  throw usageInvalid('source', `${shownAs} cannot be imported. Nothing was written.\n${listedProblems(problems)}`)
}

async function readFixture(directory: string, id: string, refuse: Refuse): Promise<Fixture | undefined> {
  const files = await filesOf(directory, refuse, notCopied)
  if (files === undefined) return undefined
  const prompt = await textOf(directory, 'PROMPT.md', files, refuse)
  if (prompt?.trim() === '') refuse('PROMPT.md', 'is empty. Write what the agent is to do.')
  const testFile = files.has('EVAL.tsx') ? 'EVAL.tsx' : 'EVAL.ts'
  const tests = await textOf(directory, testFile, files, refuse)
  const json = await textOf(directory, 'package.json', files, refuse)
  const manifest = json === undefined ? undefined : readManifest(json, refuse)
  if (prompt === undefined || prompt.trim() === '' || tests === undefined || manifest === undefined) return undefined
  const root = new Set(await readdir(directory))
  return {
    hidden: [...files.keys()].filter((path) => hiddenNames.has(basename(path))),
    ...{ id, directory, prompt, testFile, root, ...manifest },
    needs: [...linesOfAgentEval(testFile, tests), ...(await helpersOfAgentEval(directory, testFile, files))],
    digest: await digestOf(directory, files),
  }
}

/** A file that the tests import may import the judge of agent-eval in turn. */
const theJudge = /@vercel\/agent-eval/
const maxHelperBytes = 1024 * 1024

/** Finds the lines of other sources that name the judge of agent-eval. */
async function helpersOfAgentEval(
  directory: string,
  testFile: string,
  files: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [path, size] of files)
    if (path !== testFile && size <= maxHelperBytes && /\.[cm]?[jt]sx?$/.test(path))
      found.push(...linesOfAgentEval(path, await readFile(join(directory, path), 'utf8'), theJudge))
  return found
}

function linesOfAgentEval(file: string, text: string, pattern: RegExp = ofAgentEval): readonly string[] {
  return text.split('\n').flatMap((line, at) => {
    const found = pattern.exec(line)
    return found === null ? [] : [`${file}:${at + 1} uses ${found[0]}`]
  })
}

function readManifest(text: string, refuse: Refuse): Pick<Fixture, 'scripts' | 'namesVitest'> | undefined {
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch (thrown) {
    return void refuse('package.json', `is not JSON: ${failureOf(thrown).message}`)
  }
  if (!isPlainObject(manifest)) return void refuse('package.json', 'is not an object.')
  if (manifest.type !== 'module')
    return void refuse('package.json', 'has no "type": "module", which agent-eval requires.')
  const named = (key: string) => Object.keys(isPlainObject(manifest[key]) ? manifest[key] : {})
  const dependencies = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap(named)
  return { scripts: new Set(named('scripts')), namesVitest: dependencies.includes('vitest') }
}
