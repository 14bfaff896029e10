import { stringify } from 'yaml'
import { type DescribedJudge, grader, movedAssertion } from './promptfoo-assertions.js'
import { movedProvider, nameOf } from './promptfoo-providers.js'
import type { PromptfooSuite, PromptfooTest } from './promptfoo-suite.js'
import { filledTemplate, juristTemplate, variablesOf } from './promptfoo-template.js'

/** What an import writes, and what is left to do by hand. */
export interface ImportedProject {
  /** Texts by their paths. */
  readonly files: Readonly<Record<string, string>>
  readonly tests: number
  /** Tests with an assertion or a setting that has no counterpart. They are disabled, so that no trial passes without a judge. */
  readonly disabled: number
  /** What to do by hand, one line each. */
  readonly notes: readonly string[]
}

/**
 * A project of Jurist that judges as a suite of promptfoo does: a config, and a row for each test with judges of its own.
 */
export function promptfooProject(suite: PromptfooSuite): ImportedProject {
  const notes: string[] = []
  const rows = suite.tests.map((test, index) => rowOf(suite, test, { index, notes }))
  const provided = providersOf(suite, notes)
  const asksModel = rows.some((row) => JSON.stringify(row.judges).includes(`"model":"${grader}"`))
  const config = {
    ...modelsOf({ ...provided.models, ...(asksModel ? { [grader]: graderOf(suite, notes) } : {}) }),
    experiments: { [nameOf(suite.description)]: { ...experimentOf(suite), ...provided.experiment } },
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

interface Row {
  readonly id: string
  readonly task: string
  readonly input: Readonly<Record<string, unknown>>
  readonly judges: unknown
  readonly status?: 'disabled'
}

function rowOf(
  { prompts, tests }: PromptfooSuite,
  test: PromptfooTest,
  { index, notes }: { readonly index: number; readonly notes: string[] },
): Row {
  const { place, vars, asserts, others, description } = test
  const id = `test-${String(index + 1).padStart(String(tests.length).length, '0')}`
  const judged = asserts.map((one) => ({ weight: weightOf(one), moved: movedAssertion(one, vars) }))
  const problems = judged.flatMap(({ moved }, at) => {
    return 'problem' in moved ? [`assert[${at}]: ${moved.problem}`] : []
  })
  problems.push(...others.map((key) => `"${key}" has no counterpart`))
  if (problems.length > 0) notes.push(`${place} (row ${id}, disabled): ${problems.join('; ')}.`)
  const missing = prompts.flatMap(variablesOf).filter((name) => !name.includes('.') && vars[name] === undefined)
  const [prompt = ''] = prompts
  return {
    id,
    task: prompts.length === 1 ? filledTemplate(prompt, vars) : (description ?? id),
    input: { ...Object.fromEntries(missing.map((name) => [name, ''])), ...vars },
    judges: juryOf(
      judged.flatMap(({ weight, moved }) => ('judge' in moved ? [{ weight, judge: moved.judge }] : [])),
      test.threshold,
    ),
    ...(problems.length > 0 ? { status: 'disabled' as const } : {}),
  }
}

interface Weighed {
  readonly weight: number
  readonly judge: DescribedJudge
}

function weightOf(assertion: unknown): number {
  const weight = (assertion as { readonly weight?: unknown } | null)?.weight
  return typeof weight === 'number' ? weight : 1
}

/** Every assertion must hold, those of weight 0 apart; with a threshold, their weighted mean must reach it. */
function juryOf(judges: readonly Weighed[], threshold: number | undefined): unknown {
  const counting = judges.filter(({ weight }) => weight > 0)
  if (threshold === undefined) return namedOf(counting.map(({ judge }) => judge))
  const members = namedOf(counting)
  return { judges: members, vote: { type: 'weighted-average', threshold } }
}

/** The members by name: the type of each, with a number from the second of a type on. */
function namedOf(members: readonly (DescribedJudge | Weighed)[]): Readonly<Record<string, unknown>> {
  const counts = new Map<string, number>()
  return Object.fromEntries(
    members.map((member) => {
      const type = String(Reflect.get('weight' in member ? Object(member.judge) : member, 'type'))
      const count = (counts.get(type) ?? 0) + 1
      counts.set(type, count)
      return [count === 1 ? type : `${type}-${count}`, member]
    }),
  )
}

/** What the options of a suite are here. */
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

interface Provided {
  readonly models: Readonly<Record<string, unknown>>
  /** The part of the experiment that names its agents. */
  readonly experiment: Readonly<Record<string, unknown>>
  readonly files: Readonly<Record<string, string>>
}

/** Models, agents and variants of the providers and prompts of a suite. */
function providersOf({ providers, prompts }: PromptfooSuite, notes: string[]): Provided {
  const moved = providers.map(movedProvider)
  const models = Object.fromEntries(moved.flatMap((one) => ('model' in one ? [[one.name, one.model]] : [])))
  const files: Record<string, string> = {}
  const agents = moved.map((one) => {
    if ('model' in one) return { name: one.name, agent: { model: one.name } }
    if ('agent' in one) return one
    const path = `${one.name}.agent.mjs`
    files[path] = unwrittenAgent(one.name)
    notes.push(`${path}: ${one.problem}. Write the call of your program there.`)
    return { name: one.name, agent: { module: `./${path}` } }
  })
  return { models, files, experiment: agentsOf(agents, prompts.map(juristTemplate)) }
}

interface NamedAgent {
  readonly name: string
  readonly agent: Readonly<Record<string, unknown>>
}

/** One agent with one prompt is the experiment's; several make variants, each agent with each prompt. */
function agentsOf(agents: readonly NamedAgent[], prompts: readonly string[]): Readonly<Record<string, unknown>> {
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

function modelsOf(models: Readonly<Record<string, unknown>>): { readonly models?: object } {
  return Object.keys(models).length === 0 ? {} : { models }
}

/** The model of the suite's grader. Where the suite names none, promptfoo chooses one by itself. */
function graderOf({ grader: given }: PromptfooSuite, notes: string[]): unknown {
  const moved = movedProvider(given ?? 'openai:gpt-4.1-mini')
  if (given === undefined || !('model' in moved))
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
