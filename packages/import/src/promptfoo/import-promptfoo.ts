import { basename, dirname, relative } from 'node:path'
import { isPlainObject, printed } from '@jurist/core/internal'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { shownFromHere } from '@jurist/kit/shown-path'
import { safeLine } from '@jurist/kit/terminal'
import { stringify } from 'yaml'
import { listed, newProject, nextSteps, sourceFile, writeFiles } from '../new-project.js'
import { listedProblems } from '../task-directories.js'
import { type DescribedJudge, grader, type Moved, movedAssertion, weightOf } from './assertions.js'
import { movedProvider, nameOf } from './providers.js'
import { fileName, type SuiteFiles, suiteFiles } from './suite-files.js'
import { filledTemplate, juristTemplate, templateProblem, variablesOf } from './template.js'
import { type Fields, listOf, type PromptfooTest, readTests } from './tests.js'

export async function importPromptfoo(host: CommandHost, given: string, out: string): Promise<ExitCode> {
  const { root, made } = await newProject(host, out, async (directory): Promise<ImportedProject> => {
    const file = await sourceFile(host, given, 'Name the suite, such as promptfooconfig.yaml.')
    const project = promptfooProject(await readPromptfooSuite(file, given, host.cwd))
    await writeFiles(directory, project.files)
    return project
  })
  const { files, tests, disabled, notes } = made
  if (host.flags.json === true) {
    host.json({ directory: root, files: Object.keys(files), tests, disabled, notes })
    return 0
  }
  const { out: print } = host.terminal
  const shown = shownFromHere(root)
  print(`Made ${Object.keys(files).join(', ')} in ${shown}: ${counted(tests, 'test')}, ${disabled} of them disabled.\n`)
  if (notes.length > 0) print(`\nBy hand:\n${listed(notes.map(safeLine))}`)
  print(nextSteps(root, 'validate', 'run'))
  return 0
}

interface ImportedProject {
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>
  readonly tests: number
  /**
   * The number of tests with an assertion or a setting that has no counterpart. They are disabled, so that no trial
   * passes without a judge.
   */
  readonly disabled: number
  /** The changes that remain to be made by hand, one per line. */
  readonly notes: readonly string[]
}

/**
 * Converts a suite of promptfoo to a project that judges in the same way: a config, and a row with its own judges for
 * each test.
 */
function promptfooProject(suite: PromptfooSuite): ImportedProject {
  const notes: string[] = [...suite.notes]
  const rows = suite.tests.map((test, index) => rowOf(suite, test, { index, notes }))
  const provided = providersOf(suite, notes)
  const judges = rows.map((row) => JSON.stringify(row.judges ?? {}))
  if (Object.keys(provided.models).length > 0 && judges.some((one) => one.includes('"costUsd":')))
    notes.push('models in jurist.config.yaml: give each its "prices", without which "cost" fails.')
  if (judges.some((one) => /"type":"tool(?:s-used|-calls)"/.test(one)))
    notes.push(
      'the agent: let it report its calls of tools, without which their judges end with an error. They tell capitals from small letters in the names of tools.',
    )
  const asksModel = judges.some((one) => one.includes(`"model":"${grader}"`))
  const models = { ...provided.models, ...(asksModel && { [grader]: graderOf(suite, notes) }) }
  const config = {
    ...(Object.keys(models).length > 0 && { models }),
    experiments: {
      [nameOf(suite.description)]: {
        ...experimentOf(suite),
        ...provided.experiment,
        // Only a trusted row may name the server of an embedding model.
        ...(judges.some((one) => one.includes('"by":"embedding"')) && { trustItems: true }),
      },
    },
  }
  return {
    files: {
      'jurist.config.yaml': stringify(config, { lineWidth: 0 }),
      'rows.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      ...provided.files,
    },
    tests: rows.length,
    disabled: rows.filter(({ status }) => status === 'disabled').length,
    notes,
  }
}

function rowOf(
  { prompts, tests, grader: graders }: PromptfooSuite,
  test: PromptfooTest,
  { index, notes }: { readonly index: number; readonly notes: string[] },
) {
  const { place, vars, asserts, description } = test
  const id = `test-${String(index + 1).padStart(String(tests.length).length, '0')}`
  const judged = asserts.map((one) => ({ ...one, moved: movedAssertion(one.assertion, vars, graders) }))
  const members = judged.flatMap(({ assertion, moved }) => ('judge' in moved ? [memberOf(assertion, moved.judge)] : []))
  const expected = expectedOf(judged.map(({ moved }) => moved))
  const problems = [
    ...judged.flatMap(({ place, moved }) => ('problem' in moved ? [`${place}: ${moved.problem}`] : [])),
    ...test.problems,
    ...(expected.length > 1 ? ['several assertions of the type similar have no counterpart'] : []),
    ...(asserts.length === 0 ? ['without assertions nothing would judge it'] : []),
    ...(asserts.length > 0 && judged.length === members.length && !members.some(({ weight }) => weight > 0)
      ? ['no assertion has a weight, so nothing would judge it']
      : []),
    ...(prompts.length === 0 ? ['there is no prompt'] : []),
  ]
  if (problems.length > 0) notes.push(`${place} (row ${id}, disabled): ${problems.join('; ')}.`)
  const missing = prompts.flatMap(variablesOf).filter((name) => !name.includes('.') && vars[name] === undefined)
  const [prompt = ''] = prompts
  const asked = filledTemplate(prompt, vars)
  // Several prompts word the same question differently, so the description is the better task.
  const task = prompts.length === 1 ? asked : (description ?? asked)
  return {
    id,
    task: task.trim() === '' ? (description ?? id) : task,
    input: { ...Object.fromEntries(missing.map((name) => [name, ''])), ...vars },
    expected: expected.length === 1 ? expected[0] : undefined,
    ...juryOf(members, test.threshold),
    metadata: { ...test.metadata, ...(description && { description }), source: { format: 'promptfoo', place } },
    status: problems.length > 0 ? 'disabled' : undefined,
  }
}

/** The values that the answers of a test are compared with, without duplicates. */
function expectedOf(moved: readonly Moved[]): readonly unknown[] {
  const all = moved.flatMap((one) => ('expected' in one ? [one.expected] : []))
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

interface Member {
  readonly name: string
  readonly weight: number
  readonly judge: DescribedJudge
}

function memberOf(assertion: unknown, judge: DescribedJudge): Member {
  const { type, metric, threshold } = assertion as { readonly [key: string]: unknown }
  const name = typeof metric === 'string' && metric.trim() !== '' ? nameOf(metric) : String(judge.type)
  // A set without its own threshold fails its test regardless of its weight.
  return { name, judge, weight: type === 'assert-set' && threshold === undefined ? 1 : weightOf(assertion) }
}

/** Every assertion with a positive weight must hold; with a threshold, their weighted mean must reach it. */
function juryOf(members: readonly Member[], threshold: number | undefined): { readonly judges?: unknown } {
  const counting = members.filter(({ weight }) => weight > 0)
  if (counting.length === 0) return {}
  if (threshold === undefined) return { judges: namedOf(counting, ({ judge }) => judge) }
  const judges = namedOf(counting, ({ judge, weight }) => ({ judge: allOrNothing(judge), weight }))
  return { judges: { judges, vote: { type: 'weighted-average', threshold } } }
}

/** The score of tool calls may be fractional, but an assertion of promptfoo counts either 0 or 1. */
function allOrNothing(judge: DescribedJudge): DescribedJudge {
  return JSON.stringify(judge).includes('"type":"tool-calls"') ? { type: 'any-of', judges: [judge] } : judge
}

/** Names the members, with a number if a name repeats. */
function namedOf(members: readonly Member[], entry: (member: Member) => unknown): Readonly<Record<string, unknown>> {
  const counts = new Map<string, number>()
  return Object.fromEntries(
    members.map((member) => {
      const count = (counts.get(member.name) ?? 0) + 1
      counts.set(member.name, count)
      return [count === 1 ? member.name : `${member.name}-${count}`, entry(member)]
    }),
  )
}

/** Converts the options of a suite. */
function experimentOf({ prompts, options }: PromptfooSuite): Readonly<Record<string, unknown>> {
  const { repeat, maxConcurrency } = options
  const templates = prompts.map(juristTemplate)
  return {
    dataset: 'rows.jsonl',
    ...(templates.length > 1 ? {} : { prompt: templates[0] ?? '{{task}}' }),
    ...(typeof repeat === 'number' ? { repetitions: repeat } : {}),
    ...(typeof maxConcurrency === 'number' ? { concurrency: maxConcurrency } : {}),
  }
}

/** Converts the providers and prompts of a suite to models, agents and variants. */
function providersOf({ providers, prompts }: PromptfooSuite, notes: string[]) {
  const moved = providers.map(movedProvider)
  const models = Object.fromEntries(moved.flatMap((one) => ('model' in one ? [[one.name, one.model]] : [])))
  const files: Record<string, string> = {}
  for (const [at, { unused }] of moved.entries())
    if (unused.length > 0) notes.push(`providers[${at}]: ${unused.join(', ')}: not taken over.`)
  const agents = moved.map((one) => {
    if ('model' in one) return { name: one.name, agent: { model: one.name } }
    if ('agent' in one) {
      const [program = ''] = one.agent.command
      if (program.startsWith('.'))
        notes.push(`${program} in jurist.config.yaml: write its absolute path, since agents start in their workspace.`)
      return one
    }
    const path = `${one.name}.agent.mjs`
    files[path] = unwrittenAgent(one.name)
    notes.push(`${path}: ${one.problem}. Write the call of your program there.`)
    return { name: one.name, agent: { module: `./${path}` } }
  })
  const templates = prompts.length === 0 ? ['{{task}}'] : prompts.map(juristTemplate)
  return { models, files, experiment: agentsOf(agents, templates) }
}

/**
 * A single agent with a single prompt belongs to the experiment. Otherwise each agent with each prompt is a variant.
 */
function agentsOf(
  agents: readonly { readonly name: string; readonly agent: object }[],
  prompts: readonly string[],
): Readonly<Record<string, unknown>> {
  const [first] = agents
  if (agents.length <= 1 && prompts.length <= 1) return first === undefined ? {} : { agent: first.agent }
  const variants = agents.flatMap(({ name, agent }) =>
    prompts.map((prompt, index) => {
      const variant = prompts.length === 1 ? name : `${name}-prompt-${index + 1}`
      return [variant, prompts.length === 1 ? { agent } : { agent, prompt }]
    }),
  )
  return { agent: first?.agent, variants: Object.fromEntries(variants) }
}

/** Returns the model of the suite's grader. promptfoo chooses one itself if the suite names none. */
function graderOf({ grader: given }: PromptfooSuite, notes: string[]): unknown {
  const isMap = isPlainObject(given) && given.id === undefined && (given.text ?? given.embedding) !== undefined
  const text = isMap ? given.text : given
  const moved = movedProvider(text ?? 'openai:gpt-4.1-mini')
  if (text === undefined || !('model' in moved))
    notes.push(`models.${grader} in jurist.config.yaml: name the model that grades.`)
  return 'model' in moved ? moved.model : { provider: 'openai-compatible', model: '', baseUrl: '' }
}

function unwrittenAgent(name: string): string {
  return `/** Answers a prompt as the provider ${JSON.stringify(name)} did. */
export default async function agent({ prompt, workspace, signal }) {
  throw new Error('Write the call of your program here, and return what it answers as a string.')
}
`
}

/** A suite of promptfoo. Its files are read, its defaults filled in, and its lists of variables expanded. */
interface PromptfooSuite {
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
async function readPromptfooSuite(file: string, shown: string, cwd: string): Promise<PromptfooSuite> {
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
