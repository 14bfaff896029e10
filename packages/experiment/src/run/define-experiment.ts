import { JuristError } from '@jurist/core'
import { failureOf, frozenJson, isPlainObject } from '@jurist/core/internal'
import { efficiency } from '../efficiency/efficiency.js'
import type { ExperimentIssue } from '../errors.js'
import { isReservedName, isSafeName, reservedName } from '../store/names.js'
import { recordedConditions } from './conditions.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import {
  budgetRules,
  environmentRules,
  experimentRules,
  hookRules,
  iterationRules,
  knowledgeRules,
  retryRules,
  variantRules,
} from './experiment-rules.js'
import { issue, optionIssues } from './option-issues.js'
import { templateIssues } from './prompt.js'

const defined = new WeakSet<object>()

/**
 * Checks an experiment, all that can be checked without the disk, and gives it back frozen.
 *
 * @throws `experiment-invalid` naming every issue with its remedy
 *
 * @example
 * export default defineExperiment({ name: 'add-readme', dataset: 'dataset', agent, jury, repetitions: 3 })
 */
export function defineExperiment<const Variant extends string = never>(
  options: ExperimentOptions<Variant>,
): Experiment<Variant> {
  const issues = experimentIssues(options)
  if (issues.length > 0) refuseIssues(options, issues)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const experiment = Object.freeze({ ...Object.fromEntries(given), kind: 'experiment' }) as Experiment<Variant>
  defined.add(experiment)
  return experiment
}

/** Everything that is wrong with the options of an experiment, as far as that can be said without the disk. */
export function experimentIssues(options: ExperimentOptions): readonly ExperimentIssue[] {
  const given: unknown = options
  if (!isPlainObject(given)) return [issue('options', 'must be an object.', 'Give name, dataset and agent at least.')]
  // What was checked and frozen is not checked again.
  if (defined.has(given)) return []
  return [
    ...optionIssues(given, experimentRules, '', ['name', 'dataset', 'agent']),
    ...partIssues(given, ''),
    ...wholeIssues(given),
  ]
}

/** @throws `experiment-invalid` */
export function refuseIssues(options: unknown, issues: readonly ExperimentIssue[]): never {
  const name = isPlainObject(options) ? options['name'] : undefined
  const what = typeof name === 'string' ? `The experiment ${JSON.stringify(name.slice(0, 80))}` : 'The experiment'
  const count = issues.length === 1 ? 'has an issue' : `has ${issues.length} issues`
  const lines = issues.map(({ field, problem, remedy }) => `  ${field}: ${problem} ${remedy}`)
  throw new JuristError('experiment-invalid', `${what} ${count}:\n${lines.join('\n')}`, { issues })
}

type Given = { readonly [key: string]: unknown }

/** What may stand in an experiment and in a variant. */
function partIssues(given: Given, prefix: string): readonly ExperimentIssue[] {
  const { prompt, knowledge, environment, conditions, metadata } = given
  return [
    ...(typeof prompt === 'string' ? templateIssues(prompt, `${prefix}prompt`) : []),
    ...inside(knowledge, (value) => optionIssues(value, knowledgeRules, `${prefix}knowledge.`, ['directory'])),
    ...inside(environment, (value) => optionIssues(value, environmentRules, `${prefix}environment.`)),
    ...inside(conditions, (value) => [...jsonIssues(value, `${prefix}conditions`), ...takenConditions(value, prefix)]),
    ...inside(metadata, (value) => jsonIssues(value, `${prefix}metadata`)),
  ]
}

function wholeIssues({ retries, budget, hooks, variants, efficiency: options }: Given): readonly ExperimentIssue[] {
  return [
    ...inside(retries, (value) => optionIssues(value, retryRules, 'retries.')),
    ...inside(budget, (value) => optionIssues(value, budgetRules, 'budget.')),
    ...inside(hooks, (value) => optionIssues(value, hookRules, 'hooks.')),
    ...inside(options, efficiencyIssues),
    ...inside(variants, (value) =>
      Object.entries(value).flatMap(([name, overrides]) => variantIssues(name, overrides)),
    ),
  ]
}

function variantIssues(name: string, overrides: unknown): readonly ExperimentIssue[] {
  const field = `variants.${name}`
  const badName = isSafeName(name) ? [] : [badVariantName(field, name)]
  if (!isPlainObject(overrides))
    return [...badName, issue(field, 'must be an object.', 'Give {} for the experiment as it is.')]
  return [
    ...badName,
    ...optionIssues(overrides, variantRules, `${field}.`),
    ...partIssues(overrides, `${field}.`),
    ...inside(overrides['iteration'], (value) => optionIssues(value, iterationRules, `${field}.iteration.`)),
  ]
}

function badVariantName(field: string, name: string): ExperimentIssue {
  const shown = JSON.stringify(name)
  if (!isReservedName(name))
    return issue(field, `${shown} cannot name a variant.`, 'Use letters, digits, ".", "_" and "-".')
  const { problem, remedy } = reservedName()
  return issue(field, `${shown} cannot name a variant: it ${problem}`, remedy)
}

function inside(value: unknown, issues: (value: Given) => readonly ExperimentIssue[]): readonly ExperimentIssue[] {
  return isPlainObject(value) ? issues(value) : []
}

function jsonIssues(value: Given, field: string): readonly ExperimentIssue[] {
  try {
    frozenJson(value, [field])
    return []
  } catch (thrown) {
    return [issue(field, failureOf(thrown).message, 'Nothing else can be stored.')]
  }
}

function takenConditions(conditions: Given, prefix: string): readonly ExperimentIssue[] {
  return Object.keys(conditions)
    .filter((name) => recordedConditions.has(name))
    .map((name) => issue(`${prefix}conditions.${name}`, 'is recorded by every run.', 'Use another name.'))
}

function efficiencyIssues(options: Given): readonly ExperimentIssue[] {
  try {
    efficiency({ status: 'completed' }, options)
    return []
  } catch (thrown) {
    return [issue('efficiency', failureOf(thrown).message, 'Correct it, or leave it out.')]
  }
}
