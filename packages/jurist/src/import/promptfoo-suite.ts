import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { isPlainObject, printed } from '@jurist/core/internal'
import { configInvalid } from '../config/problems.js'
import { templateProblem } from './promptfoo-template.js'

/** A promptfoo suite: its files are read, its defaults filled in, its lists of variables multiplied out. */
export interface PromptfooSuite {
  readonly description: string
  readonly prompts: readonly string[]
  readonly providers: readonly unknown[]
  readonly tests: readonly PromptfooTest[]
  /** The provider that grades, where the suite names one. */
  readonly grader: unknown
  /** `evaluateOptions`. */
  readonly options: Fields
}

/** One test of a suite. */
export interface PromptfooTest {
  /** Where it is, for messages: `tests[3]`, or `more.yaml[3]`. */
  readonly place: string
  readonly description: string | undefined
  readonly vars: Fields
  readonly asserts: readonly unknown[]
  readonly threshold: number | undefined
  /** What the test says beside that. */
  readonly others: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Collects what makes a suite unreadable. */
type Refuse = (path: string, problem: string, remedy: string) => void

/**
 * Reads a suite in YAML or JSON, with the files of prompts and tests that it names.
 *
 * @throws `config-invalid` naming everything in it that cannot be read
 */
export async function readPromptfooSuite(file: string): Promise<PromptfooSuite> {
  const issues: { path: string; problem: string; remedy: string }[] = []
  const refuse: Refuse = (path, problem, remedy) => void issues.push({ path, problem, remedy })
  const value = await readDocument(file, '', refuse)
  const suite = isPlainObject(value) ? value : {}
  if (issues.length === 0 && !isPlainObject(value))
    refuse('', `must be an object (got ${printed(value)}).`, 'Give a promptfooconfig.yaml.')
  if (suite.scenarios !== undefined)
    refuse('scenarios', 'cannot be read.', 'Write their tests out under "tests", then import again.')
  const reading: Reading = { directory: dirname(file), refuse }
  const prompts = await readPrompts(suite.prompts, reading)
  const defaults = isPlainObject(suite.defaultTest) ? suite.defaultTest : {}
  const given = await readTests(suite.tests, 'tests', reading)
  const tests = await Promise.all(given.map((test) => completed(test, defaults, reading)))
  if (issues.length > 0) throw configInvalid(file, issues)
  return {
    description: String(suite.description ?? ''),
    prompts,
    providers: listOf(suite.providers ?? suite.targets),
    grader: graderOf(defaults),
    tests: tests.flat(),
    options: isPlainObject(suite.evaluateOptions) ? suite.evaluateOptions : {},
  }
}

interface Reading {
  readonly directory: string
  readonly refuse: Refuse
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}

/** A YAML or JSON file. */
async function readDocument(file: string, path: string, refuse: Refuse): Promise<unknown> {
  if (!/^\.(ya?ml|json)$/.test(extname(file))) {
    refuse(path, `${file} is not a YAML or JSON file.`, 'Write the suite as YAML, then import again.')
    return undefined
  }
  const text = await readText(file, path, refuse)
  if (text === undefined) return undefined
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { merge: true, prettyErrors: true })
  for (const { message } of document.errors) refuse(path, `${file}: ${message.split('\n', 1)[0]}`, 'Correct it.')
  return document.errors.length > 0 ? undefined : document.toJS()
}

async function readText(file: string, path: string, refuse: Refuse): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    refuse(path, `${file} cannot be read: ${(thrown as Error).message}.`, 'Check the path.')
    return undefined
  }
}

/** The prompts: strings, objects with `raw`, and text files in which a line `---` separates prompts. */
async function readPrompts(value: unknown, reading: Reading): Promise<readonly string[]> {
  const prompts = await Promise.all(
    listOf(value ?? '{{prompt}}').map(async (given, index) => {
      const path = `prompts[${index}]`
      const prompt = isPlainObject(given) ? (given.raw ?? given.id) : given
      if (typeof prompt !== 'string') return refused(reading, path, `must be a string (got ${printed(prompt)}).`)
      if (!prompt.startsWith('file://')) return [prompt]
      const file = resolve(reading.directory, prompt.slice('file://'.length))
      if (!/\.(txt|md)$/.test(file)) return refused(reading, path, `${prompt} is not a text file.`)
      const text = await readText(file, path, reading.refuse)
      return (text ?? '').split(/^---$/m).map((part) => part.trim())
    }),
  )
  const all = prompts.flat()
  for (const [index, prompt] of all.entries()) {
    const problem = /^\s*\[\s*\{/.test(prompt) ? 'is a list of chat messages' : templateProblem(prompt)
    if (problem !== undefined) refused(reading, `prompts[${index}]`, `${problem}.`)
  }
  return all
}

function refused({ refuse }: Reading, path: string, problem: string): readonly string[] {
  refuse(path, problem, 'Write it as plain text with {{variables}}, then import again.')
  return []
}

interface GivenTest {
  readonly place: string
  readonly test: Fields
}

/** Tests: objects, and files of them, by name or with `*` in the last part of the path. */
async function readTests(value: unknown, place: string, reading: Reading): Promise<readonly GivenTest[]> {
  const lists = await Promise.all(
    listOf(value).map(async (given, index): Promise<readonly GivenTest[]> => {
      const path = `${place}[${index}]`
      if (isPlainObject(given)) return [{ place: path, test: given }]
      if (typeof given === 'string') return readTestFiles(given, path, reading)
      reading.refuse(path, `must be a test or a file (got ${printed(given)}).`, 'Write {vars: …, assert: […]}.')
      return []
    }),
  )
  return lists.flat()
}

async function readTestFiles(given: string, path: string, reading: Reading): Promise<readonly GivenTest[]> {
  const name = given.replace(/^file:\/\//, '')
  const names = name.includes('*') ? await matching(name, path, reading) : [name]
  const read = await Promise.all(
    names.map(async (one) => {
      const value = await readDocument(resolve(reading.directory, one), path, reading.refuse)
      return listOf(value).flatMap((test, index) => (isPlainObject(test) ? [{ place: `${one}[${index}]`, test }] : []))
    }),
  )
  return read.flat()
}

async function matching(name: string, path: string, { directory, refuse }: Reading): Promise<readonly string[]> {
  const [parent, last] = [dirname(name), name.slice(name.lastIndexOf('/') + 1)]
  const parts = last.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`^${parts.join('.*')}$`)
  const there = await readdir(resolve(directory, parent)).catch(() => [])
  const found = there.filter((one) => pattern.test(one)).sort()
  if (found.length === 0) refuse(path, `${name} names no file.`, 'Check the path.')
  return found.map((one) => (parent === '.' ? one : `${parent}/${one}`))
}

const known = ['description', 'vars', 'assert', 'threshold', 'metadata']

function graderOf({ options }: Fields): unknown {
  return isPlainObject(options) ? options.provider : undefined
}

/** What a test says that has no counterpart. The provider of the default options is the grader. */
function othersOf(defaults: Fields, test: Fields): readonly string[] {
  const options = { ...objectOf(defaults.options), ...objectOf(test.options) }
  const isGraded = options.provider !== undefined && options.provider === graderOf(defaults)
  const own = Object.keys(options).flatMap((key) => (key === 'provider' && isGraded ? [] : [`options.${key}`]))
  const keys = [...new Set([...Object.keys(defaults), ...Object.keys(test)])]
  return [...keys.filter((key) => !known.includes(key) && key !== 'options'), ...own]
}

/** A test with the defaults of its suite, once for each combination of its variables. */
async function completed(
  { place, test }: GivenTest,
  defaults: Fields,
  reading: Reading,
): Promise<readonly PromptfooTest[]> {
  const vars = await readVariables({ ...objectOf(defaults.vars), ...objectOf(test.vars) }, place, reading)
  const { threshold = defaults.threshold, description } = test
  const others = othersOf(defaults, test)
  const all = combinations(vars)
  return all.map((one, index) => ({
    place: all.length === 1 ? place : `${place} (${index + 1} of ${all.length})`,
    description: typeof description === 'string' ? description : undefined,
    vars: one,
    asserts: [...listOf(defaults.assert), ...listOf(test.assert)],
    threshold: typeof threshold === 'number' ? threshold : undefined,
    others,
  }))
}

function objectOf(value: unknown): Fields {
  return isPlainObject(value) ? value : {}
}

/** Variables, those from text files read. */
async function readVariables(vars: Fields, place: string, { directory, refuse }: Reading): Promise<Fields> {
  const entries = await Promise.all(
    Object.entries(vars).map(async ([name, value]) => {
      if (typeof value !== 'string' || !value.startsWith('file://')) return [name, value] as const
      const path = `${place}.vars.${name}`
      const file = resolve(directory, value.slice('file://'.length))
      if (/\.(txt|md)$/.test(file)) return [name, await readText(file, path, refuse)] as const
      if (/\.(ya?ml|json)$/.test(file)) return [name, await readDocument(file, path, refuse)] as const
      refuse(path, `${value} is not a text, YAML or JSON file.`, 'Write the value, then import again.')
      return [name, value] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** A variable that is a list means one test for each of its values. */
function combinations(vars: Fields): readonly Fields[] {
  return Object.entries(vars).reduce<readonly Fields[]>(
    (all, [name, value]) =>
      all.flatMap((one) => (Array.isArray(value) ? value : [value]).map((each) => ({ ...one, [name]: each }))),
    [{}],
  )
}
