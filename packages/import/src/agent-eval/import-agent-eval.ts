import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { type CommandHost, type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { type ItemNote, newProject, reportImport, sourceDirectory } from '../new-project.js'
import { projectName } from '../task-directories.js'
import { itemDirectory, writeProject } from '../write-project.js'
import { type Fixture, readFixtures } from './read-fixtures.js'
import { setupOf, writeFixture } from './write-fixture.js'

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
