import { basename, dirname, relative } from 'node:path'
import { isPlainObject, printed } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { listedProblems } from '../task-directories.js'
import { fileName, type SuiteFiles, suiteFiles } from './suite-files.js'
import { templateProblem } from './template.js'
import { type Fields, listOf, type PromptfooTest, readTests } from './tests.js'

/** A suite of promptfoo. Its files are read, its defaults filled in, and its lists of variables expanded. */
export interface PromptfooSuite {
  readonly description: string
  readonly prompts: readonly string[]
  readonly providers: readonly unknown[]
  readonly tests: readonly PromptfooTest[]
  /** The provider that grades, if the suite names one. */
  readonly grader: unknown
  /** `evaluateOptions`. */
  readonly options: Fields
  /** The parts that are left out, one per line, with their places. */
  readonly notes: readonly string[]
}

/** The keys of a suite that have a counterpart or do not affect its results. */
const known: ReadonlySet<string> = new Set([
  ...['description', 'prompts', 'providers', 'targets', 'tests', 'defaultTest', 'evaluateOptions', 'scenarios'],
  ...['$schema', 'outputPath', 'sharing', 'writeLatestResults'],
])
const knownOptions: ReadonlySet<string> = new Set(['repeat', 'maxConcurrency', 'showProgressBar', 'cache'])

/**
 * Reads a suite in YAML or JSON, with the files of prompts and tests that it names.
 *
 * @param cwd the suite may name files below it, or below its own directory if it is elsewhere
 * @throws `usage-invalid` with everything that cannot be read
 */
export async function readPromptfooSuite(file: string, shown: string, cwd: string): Promise<PromptfooSuite> {
  const problems: string[] = []
  const refuse = (path: string, problem: string, remedy: string) =>
    void problems.push(`${path === '' ? '' : `${path}: `}${problem}${remedy === '' ? '' : ` ${remedy}`}`)
  const directory = dirname(file)
  const files = suiteFiles(relative(cwd, file).startsWith('..') ? directory : cwd, directory, refuse)
  const value = /\.(?:ya?ml|json)$/.test(file) ? await files.document(basename(file), '') : undefined
  const suite = isPlainObject(value) ? value : {}
  if (problems.length === 0 && !isPlainObject(value))
    refuse('', `must be an object (got ${printed(value)}).`, 'Write the suite as YAML, then import again.')
  if (suite.scenarios !== undefined)
    refuse('scenarios', 'cannot be read.', 'Write their tests out under "tests", then import again.')
  const notes: string[] = unusedKeys(suite)
  const defaults = await readDefaults(suite.defaultTest, files, refuse)
  const { prompts, notes: ofPrompts } = await readPrompts(suite.prompts, files)
  const tests = await readTests(suite.tests, defaults, { files, refuse, note: (line) => notes.push(line) })
  if (problems.length === 0 && tests.length === 0) problems.push(...notes, 'No test is left.')
  if (problems.length > 0)
    throw usageInvalid('source', `${shown} cannot be imported. Nothing was written.\n${listedProblems(problems)}`)
  return {
    description: String(suite.description ?? ''),
    prompts,
    providers: listOf(suite.providers ?? suite.targets),
    grader: isPlainObject(defaults.options) ? defaults.options.provider : undefined,
    tests,
    options: isPlainObject(suite.evaluateOptions) ? suite.evaluateOptions : {},
    notes: [...notes, ...ofPrompts],
  }
}

function unusedKeys(suite: Fields): string[] {
  const options = isPlainObject(suite.evaluateOptions) ? Object.keys(suite.evaluateOptions) : []
  const unused = [
    ...Object.keys(suite).filter((key) => !known.has(key)),
    ...options.filter((key) => !knownOptions.has(key)).map((key) => `evaluateOptions.${key}`),
  ]
  return unused.map((key) => `${key} is not taken over.`)
}

async function readDefaults(
  given: unknown,
  files: SuiteFiles,
  refuse: (path: string, problem: string, remedy: string) => void,
): Promise<Fields> {
  const value = typeof given === 'string' ? await files.document(fileName(given), 'defaultTest') : given
  if (isPlainObject(value)) return value
  if (value !== undefined && value !== null)
    refuse('defaultTest', `must be a test or a file (got ${printed(value)}).`, 'Write {vars: …, assert: […]}.')
  return {}
}

type Read = readonly string[] | { readonly problem: string }

/** Extensions of programs, and of other files that promptfoo makes prompts from. */
const special = /\.(?:[cm]?[jt]s|py|json|jsonl|ya?ml|csv|exe|sh|rb|bat)(?::\w+)?$/
const plain = /\.(?:txt|md|j2)$/

/**
 * Reads prompts: strings, objects with `raw`, and text files in which a line `---` separates prompts. Others have no
 * counterpart.
 */
async function readPrompts(value: unknown, files: SuiteFiles) {
  const notes: string[] = []
  const given = value === undefined || value === null ? ['{{prompt}}'] : Array.isArray(value) ? value : [value]
  const all: string[] = []
  for (const [index, one] of given.entries()) {
    const place = `prompts[${index}]`
    const unused = isPlainObject(one) ? Object.keys(one).filter((key) => !['raw', 'id', 'label'].includes(key)) : []
    notes.push(...unused.map((key) => `${place}.${key} is not taken over.`))
    const read = await readPrompt(isPlainObject(one) ? (one.raw ?? one.id) : one, place, files)
    if ('problem' in read) notes.push(`${place}: ${read.problem}. Write the prompt in jurist.config.yaml.`)
    else
      for (const prompt of read) {
        const problem = /^\s*\[\s*\{/.test(prompt) ? 'is an array of chat messages' : templateProblem(prompt)
        if (problem === undefined) all.push(prompt)
        else notes.push(`${place}: ${problem}. Write the prompt in jurist.config.yaml.`)
      }
  }
  return { prompts: all, notes }
}

async function readPrompt(prompt: unknown, place: string, files: SuiteFiles): Promise<Read> {
  if (typeof prompt !== 'string') return { problem: `must be a string (got ${printed(prompt)})` }
  if (/^\w+:\/\//.test(prompt) && !prompt.startsWith('file://')) return { problem: `${prompt} is not a file` }
  const isOneLine = !prompt.includes('\n') && !/\s/.test(prompt.trim())
  const isFile = prompt.startsWith('file://') || (isOneLine && (plain.test(prompt) || special.test(prompt)))
  if (!isFile) return [prompt]
  const name = fileName(prompt)
  const names = await files.matching(name, place)
  const texts = await Promise.all(names.map((one) => promptsIn(one, place, files)))
  const other = names.find((one) => !plain.test(one))
  return other === undefined ? texts.flat() : { problem: `${other} is not a text file` }
}

async function promptsIn(name: string, place: string, files: SuiteFiles): Promise<readonly string[]> {
  if (!plain.test(name)) return []
  const text = (await files.text(name, place)) ?? ''
  if (name.endsWith('.md')) return [text]
  const parts = name.endsWith('.txt') ? text.split(/^[^\S\n]*---[^\S\n]*\r?$/m) : [text]
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
