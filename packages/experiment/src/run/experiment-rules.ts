import { isPlainObject, type OptionRule, option } from '@jurist/core/internal'
import { isRunId, isSafeName, reservedNames } from '../store/names.js'
import type { ExperimentOptions, VariantOverrides } from './experiment.js'
import type { Hooks } from './hooks.js'
import type { Budget, Retries } from './limits.js'

/** A rule for each key of an interface. */
type RulesFor<Options> = { readonly [name in keyof Required<Options>]: OptionRule }

const text: OptionRule = {
  wants: 'a text that is not blank',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
}
const milliseconds: OptionRule = { ...option.positive, wants: 'a finite number of milliseconds above 0' }
const counting = option.integer(1)

const safeName: OptionRule = {
  wants: `a name of 1 to 64 letters, digits, ".", "_" or "-" that can be a directory and is not reserved (${reservedNames})`,
  holds: isSafeName,
}

function hasFunctions(value: unknown, ...names: readonly string[]): boolean {
  return (
    typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'function')
  )
}

const variantsRule: OptionRule = {
  wants: 'an object of overrides by name, with at least one',
  holds: (value) => isPlainObject(value) && Object.keys(value).length > 0,
}

/** The options of an experiment, one by one; what is inside of them is checked by itself. */
export const experimentRules: RulesFor<ExperimentOptions> & { readonly kind: OptionRule } = {
  kind: option.oneOf('experiment'),
  name: safeName,
  dataset: {
    wants: 'a path, an open dataset, or a list of items',
    holds: (value) => text.holds(value) || Array.isArray(value) || hasFunctions(value, 'items', 'problems', 'describe'),
  },
  agent: { ...option.function, wants: 'an agent: a function of a task' },
  jury: { ...option.function, wants: 'a jury or a judge: a function of a context' },
  prompt: text,
  systemPrompt: option.string,
  model: text,
  itemTimeoutMs: milliseconds,
  judgeTimeoutMs: milliseconds,
  setupTimeoutMs: milliseconds,
  experimentTimeoutMs: milliseconds,
  filter: option.record,
  variants: variantsRule,
  repetitions: counting,
  concurrency: counting,
  judgeConcurrency: counting,
  judgeFailedRuns: option.boolean,
  retries: option.record,
  budget: option.record,
  bail: option.either(option.boolean, counting),
  maxInfrastructureFailures: {
    wants: 'a whole number of at least 1, or false',
    holds: (value) => value === false || counting.holds(value),
  },
  store: {
    wants: 'a result store, or the path of a directory',
    holds: (value) => text.holds(value) || hasFunctions(value, 'open', 'resume', 'load', 'list'),
  },
  preserveWorkspaces: option.oneOf('all', 'failed', 'none'),
  provision: option.function,
  knowledge: option.record,
  environment: option.record,
  baseline: { wants: 'the id of a run, or "latest"', holds: (value) => value === 'latest' || isRunId(value) },
  conditions: option.record,
  efficiency: { wants: 'an object, or false', holds: (value) => value === false || isPlainObject(value) },
  journal: option.boolean,
  projectDirectory: text,
  requireCleanGit: option.either(option.boolean, option.strings),
  metadata: option.record,
  hooks: option.record,
}

/** The overrides of a variant. */
export const variantRules: RulesFor<VariantOverrides> = {
  agent: experimentRules.agent,
  model: experimentRules.model,
  prompt: experimentRules.prompt,
  systemPrompt: experimentRules.systemPrompt,
  knowledge: experimentRules.knowledge,
  environment: experimentRules.environment,
  metadata: experimentRules.metadata,
  conditions: experimentRules.conditions,
  iteration: option.record,
}

export const retryRules: RulesFor<Retries> = {
  attempts: counting,
  baseMs: option.nonNegative,
  maxMs: option.nonNegative,
  jitter: option.boolean,
  isInfrastructure: option.function,
}

export const budgetRules: RulesFor<Budget> = {
  usd: option.positive,
  tokens: option.positive,
  includeJudges: option.boolean,
  perItemUsd: option.positive,
}

export const hookRules: RulesFor<Hooks> = {
  beforeAgent: option.function,
  afterAgent: option.function,
  beforeJury: option.function,
}

export const knowledgeRules: { readonly [name: string]: OptionRule } = {
  directory: text,
  files: option.strings,
  into: text,
  exclude: option.strings,
}

export const environmentRules: { readonly [name: string]: OptionRule } = {
  allow: option.strings,
  set: {
    wants: 'an object of texts by name',
    holds: (value) => isPlainObject(value) && Object.values(value).every((entry) => typeof entry === 'string'),
  },
}

export const iterationRules: { readonly [name: string]: OptionRule } = {
  finding: option.string,
  hypothesis: option.string,
}
