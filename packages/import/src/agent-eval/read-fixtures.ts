import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { digestOf, filesOf, listedProblems, type Refuse, taskDirectories, taskId, textOf } from '../task-directories.js'

/** An evaluation of agent-eval on disk. */
export interface Fixture {
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
export const notCopied: readonly string[] = ['node_modules', '.git']

/** Matches the transcript, the judge and the environment of agent-eval. */
const ofAgentEval = /__agent_eval__|@vercel\/agent-eval/

/**
 * Reads the evaluations of a directory: the directory itself, or all directories below it that contain a PROMPT.md.
 *
 * @throws `usage-invalid` with every problem
 */
export async function readFixtures(directory: string, shownAs: string): Promise<readonly Fixture[]> {
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
