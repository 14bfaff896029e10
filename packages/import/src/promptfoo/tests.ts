import { isPlainObject, printed } from '@jurist/core/internal'
import { fileName, type Refuse, type SuiteFiles } from './suite-files.js'
import { filledVariables } from './template.js'
import { trajectoryTypes } from './trajectory.js'

export interface PromptfooTest {
  /** The place for messages: `tests[3]`, or `more.yaml[3]`. */
  readonly place: string
  readonly description: string | undefined
  readonly metadata: Fields
  readonly vars: Fields
  readonly asserts: readonly PlacedAssertion[]
  readonly threshold: number | undefined
  /** Problems other than those of its assertions, which prevent judging it as in its suite. */
  readonly problems: readonly string[]
}

/** An assertion of a test, or of the suite's defaults. */
interface PlacedAssertion {
  /** The place for messages: `assert[1]`, or `defaultTest.assert[0]`. */
  readonly place: string
  readonly assertion: unknown
}

export type Fields = Readonly<Record<string, unknown>>

interface Reading {
  readonly files: SuiteFiles
  readonly refuse: Refuse
  /** Receives each part that is left out, with its place. */
  readonly note: (line: string) => void
}

interface GivenTest {
  readonly place: string
  readonly test: Fields
}

const mostTests = 100_000

/** Reads the tests of a suite, with its defaults filled in and its lists of variables expanded. */
export async function readTests(value: unknown, defaults: Fields, reading: Reading): Promise<readonly PromptfooTest[]> {
  const given: GivenTest[] = []
  for (const [index, one] of listOf(value).entries()) given.push(...(await givenTests(one, `tests[${index}]`, reading)))
  // A suite without tests has one test: its defaults.
  if (listOf(value).length === 0) given.push({ place: 'defaultTest', test: {} })
  const tests: PromptfooTest[] = []
  for (const one of given) {
    const more = await completed(one, defaults, reading)
    if (tests.length + more.length > mostTests) {
      reading.refuse('tests', `There are more than ${mostTests} tests.`, 'Import a part.')
      break
    }
    tests.push(...more)
  }
  return tests
}

export function listOf(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}

/** Reads test objects, and test files given by name or by a glob. */
async function givenTests(given: unknown, path: string, reading: Reading): Promise<readonly GivenTest[]> {
  if (isPlainObject(given) && typeof given.path === 'string')
    return leftOut(`${path}: ${given.path} is a program that makes tests`, reading)
  if (isPlainObject(given)) return [{ place: path, test: given }]
  if (typeof given !== 'string') {
    reading.refuse(path, `must be a test or a file (got ${printed(given)}).`, 'Write {vars: …, assert: […]}.')
    return []
  }
  const name = fileName(given)
  if (/^\w+:\/\//.test(name)) return leftOut(`${path}: ${given} is not a file`, reading)
  const tests: GivenTest[] = []
  for (const one of await reading.files.matching(name, path)) tests.push(...(await testsOfFile(one, path, reading)))
  return tests
}

function leftOut(reason: string, { note }: Reading): readonly GivenTest[] {
  note(`${reason}: its tests are left out. Write them as YAML, JSON or CSV, then import again.`)
  return []
}

async function testsOfFile(name: string, path: string, reading: Reading): Promise<readonly GivenTest[]> {
  if (/\.(?:csv|jsonl)$/.test(name)) {
    const rows = (await reading.files.rows(name, path)) ?? []
    const test = (row: Fields): Fields => (name.endsWith('.csv') ? testOfCsvRow(row) : row)
    return rows.map((row, at) => ({ place: `${name}[${at}]`, test: test(row) }))
  }
  if (!/\.(?:ya?ml|json)$/.test(name)) return leftOut(`${path}: ${name} is not a YAML, JSON or CSV file`, reading)
  const value = await reading.files.document(name, path)
  return listOf(value).flatMap((test, at): readonly GivenTest[] => {
    if (isPlainObject(test)) return [{ place: `${name}[${at}]`, test }]
    reading.refuse(`${name}[${at}]`, `must be a test (got ${printed(test)}).`, 'Write {vars: …, assert: […]}.')
    return []
  })
}

/** Adds the suite's defaults to a test, and expands it to one test for each combination of its variables. */
async function completed(
  { place, test }: GivenTest,
  defaults: Fields,
  { files, refuse }: Reading,
): Promise<readonly PromptfooTest[]> {
  const problems = problemsOf(defaults, test)
  const given = { ...objectOf(defaults.vars), ...objectOf(test.vars) }
  const vars = await readVariables(given, place, files, problems)
  const count = Object.values(vars).reduce<number>((all, one) => all * valuesOf(one).length, 1)
  if (count > mostTests) {
    refuse(place, `makes ${count} tests of its variables, and at most ${mostTests} are made.`, 'Shorten the lists.')
    return []
  }
  const { threshold = defaults.threshold, description } = test
  return combinations(vars).map((one, index) => {
    const filled = filledVariables(one)
    return {
      place: count === 1 ? place : `${place} (${index + 1} of ${count})`,
      description: typeof description === 'string' ? description : undefined,
      metadata: { ...objectOf(defaults.metadata), ...objectOf(test.metadata) },
      vars: filled.vars,
      asserts: [...placed('defaultTest.assert', defaults.assert), ...placed('assert', test.assert)],
      threshold: typeof threshold === 'number' ? threshold : undefined,
      problems: [...problems, ...filled.problems],
    }
  })
}

function placed(list: string, given: unknown): readonly PlacedAssertion[] {
  return listOf(given).map((assertion, index) => ({ place: `${list}[${index}]`, assertion }))
}

function objectOf(value: unknown): Fields {
  return isPlainObject(value) ? value : {}
}

const known = ['description', 'vars', 'assert', 'threshold', 'metadata', 'options']

/** Returns the settings of a test without a counterpart. The provider of the default options is the grader. */
function problemsOf(defaults: Fields, test: Fields): string[] {
  const options = { ...objectOf(defaults.options), ...objectOf(test.options) }
  const isGraded = options.provider === objectOf(defaults.options).provider
  const own = Object.keys(options).flatMap((key) => (key === 'provider' && isGraded ? [] : [`options.${key}`]))
  const keys = [...new Set([...Object.keys(defaults), ...Object.keys(test)])].filter((key) => !known.includes(key))
  const wrong = [defaults, test].flatMap((one) => [
    ...['vars', 'metadata', 'options'].flatMap((key) =>
      one[key] === undefined || one[key] === null || isPlainObject(one[key])
        ? []
        : [`"${key}" must be an object (got ${printed(one[key])})`],
    ),
    ...(one.threshold === undefined || one.threshold === null || Number.isFinite(one.threshold)
      ? []
      : [`"threshold" must be a number (got ${printed(one.threshold)})`]),
  ])
  return [...[...keys, ...own].map((key) => `"${key}" has no counterpart`), ...wrong]
}

/** Files that promptfoo runs, or shows to models as images, sound or video. */
const special = /\.(?:[cm]?[jt]s|py|pdf|png|jpe?g|gif|webp|bmp|svg|mp[34]|wav|ogg|webm|mov|m4a|flac|avi|mkv)$/i

/** Reads the variables that are text files. As in promptfoo, a YAML file becomes JSON. */
async function readVariables(vars: Fields, place: string, files: SuiteFiles, problems: string[]): Promise<Fields> {
  const entries = await Promise.all(
    Object.entries(vars).map(async ([name, value]) => {
      if (typeof value !== 'string' || !value.startsWith('file://')) return [name, value] as const
      const path = `${place}.vars.${name}`
      const file = fileName(value)
      if (special.test(file)) {
        problems.push(`vars.${name}: ${value} is not a text file`)
        return [name, value] as const
      }
      const names = await files.matching(file, path)
      const texts = await Promise.all(names.map((one) => readVariable(one, path, files)))
      return [name, texts.length === 1 ? texts[0] : texts] as const
    }),
  )
  return Object.fromEntries(entries)
}

async function readVariable(file: string, path: string, files: SuiteFiles): Promise<string | undefined> {
  if (!/\.ya?ml$/.test(file)) return (await files.text(file, path))?.trim()
  const value = await files.document(file, path)
  return value === undefined ? undefined : JSON.stringify(value)
}

/** A list of strings stands for one test per string. */
function valuesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) && typeof value[0] === 'string' ? value : [value]
}

function combinations(vars: Fields): readonly Fields[] {
  return Object.entries(vars).reduce<readonly Fields[]>(
    (all, [name, value]) => all.flatMap((one) => valuesOf(value).map((each) => ({ ...one, [name]: each }))),
    [{}],
  )
}

type Row = Readonly<Record<string, unknown>>

/** The assertion types that a cell may contain before a colon, in addition to those that need only a name. */
const types: ReadonlySet<string> = new Set([
  ...['answer-relevance', 'bleu', 'classifier', 'contains', 'contains-all', 'contains-any', 'contains-html'],
  ...['contains-json', 'contains-sql', 'contains-xml', 'context-faithfulness', 'context-recall', 'context-relevance'],
  ...['conversation-relevance', 'cost', 'equals', 'factuality', 'finish-reason', 'g-eval', 'gleu', 'guardrails'],
  ...['icontains', 'icontains-all', 'icontains-any', 'is-html', 'is-json', 'is-refusal', 'is-sql'],
  ...['is-valid-function-call', 'is-valid-openai-function-call', 'is-valid-openai-tools-call', 'is-xml', 'javascript'],
  ...['latency', 'levenshtein', 'llm-rubric', 'meteor', 'model-graded-closedqa', 'model-graded-factuality'],
  ...['moderation', 'perplexity', 'perplexity-score', 'pi', 'python', 'regex', 'rouge-n', 'ruby', 'similar'],
  ...trajectoryTypes,
  ...['starts-with', 'trace-error-spans', 'trace-span-count', 'trace-span-duration', 'webhook', 'word-count'],
])

/** Other names of assertion types in cells. */
const aliases: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' }

/** The default thresholds of assertions in cells. */
const thresholds: Readonly<Record<string, number>> = { cost: 0.75, latency: 0.75, levenshtein: 0.75, similar: 0.8 }

/**
 * Converts a row of promptfoo's CSV files: columns are variables, except that columns with `__` contain the other parts
 * of the test.
 */
function testOfCsvRow(row: Row): Row {
  const vars: [string, unknown][] = []
  const assert: Row[] = []
  const metadata: [string, unknown][] = []
  const rest: [string, unknown][] = []
  for (const [given, value] of Object.entries(row)) {
    const key = given.trim()
    const text = String(value)
    if (!key.startsWith('__')) vars.push([key, value])
    else if (text.trim() === '') continue
    else if (/^__expected\d*$/.test(key)) assert.push(assertionOf(text.trim()))
    else if (key === '__threshold') rest.push(['threshold', Number(text)])
    else if (key === '__description') rest.push(['description', text])
    else if (key.startsWith('__metadata:')) metadata.push([key.slice('__metadata:'.length), text])
    else rest.push([key, text])
  }
  const metric = rest.find(([key]) => key === '__metric')?.[1]
  return {
    ...Object.fromEntries(rest.filter(([key]) => key !== '__metric')),
    vars: Object.fromEntries(vars),
    assert: metric === undefined ? assert : assert.map((one) => ({ ...one, metric })),
    ...(metadata.length > 0 ? { metadata: Object.fromEntries(metadata) } : {}),
  }
}

/** Reads an assertion such as `not-icontains: sorry` or `latency(500)`. Any other string must equal the answer. */
function assertionOf(text: string): Row {
  if (/^file:\/\/.*\.(?:py|[cm]?[jt]s)(?::\w+)?$/.test(text)) return { type: 'javascript', value: text }
  const [, not = '', name = '', threshold, value] =
    /^(not-)?((?:trajectory:)?[a-z][a-z-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/.exec(text) ?? []
  const type = aliases[name] ?? name
  if (!types.has(type)) return { type: 'equals', value: text }
  const limit = threshold === undefined ? thresholds[type] : Number(threshold)
  const isList = /^i?contains-a(?:ll|ny)$/.test(type)
  const content = isList ? value?.split(',').map((part) => part.trim()) : value?.trim()
  return {
    type: `${not}${type}`,
    ...(content === undefined || content === '' ? {} : { value: content }),
    ...(limit === undefined || !(threshold !== undefined || type in thresholds) ? {} : { threshold: limit }),
  }
}
