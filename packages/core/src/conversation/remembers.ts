import type { JudgmentContext } from '../context.js'
import { isPlainObject } from '../json.js'
import type { Judge } from '../judge.js'
import { abstain, type Judgment } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import {
  listForm,
  numberForm,
  objectForm,
  optionalForm,
  schemaOf,
  textForm,
  wordForm,
} from '../llm/judges/answer-form.js'
import { modelled, nonBlankTexts } from '../llm/judges/model-base.js'
import { prompted } from '../llm/judges/prompted.js'
import { modelCalls } from '../llm/model-calls.js'
import { described, type OptionDescriptions, option } from '../options.js'
import { turnsAsData } from './conversation-data.js'
import { missingTurns, shareJudgment } from './own-turns.js'
import { checkTalkBase, describeTalkJudge, type TalkBase } from './talk-base.js'

interface FactVerdict {
  readonly fact: number
  readonly kept: 'yes' | 'asked-again' | 'contradicted' | 'never-said'
  readonly why?: string
}

const words = ['yes', 'asked-again', 'contradicted', 'never-said'] as const
const form = objectForm<{ readonly facts: readonly FactVerdict[] }>({
  facts: listForm(
    objectForm<FactVerdict>({ fact: numberForm(0), kept: wordForm(...words), why: optionalForm(textForm) }),
  ),
})

const rules: OptionDescriptions<Omit<Parameters<typeof remembers>[0], keyof TalkBase>> = {
  facts: described(nonBlankTexts, "What the user tells. Default: the facts of the item's scenario."),
  threshold: described(option.rate, 'The share of the facts that the agent must remember.', 1),
}

/**
 * Asks a model whether the agent remembers what the user said: for each fact, whether the agent asks for it again or
 * contradicts it after the user has stated it. Facts that the user never stated do not count.
 *
 * @param options `facts`: default those of the item's `metadata.scenario`; `threshold` default 1: all of them
 * @returns a judge; its score is the share of the facts that are remembered, with a check for each. Abstains without
 * facts
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { remembers } from '@jurist/core/conversation'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('{"facts": [{"fact": 1, "kept": "yes", "why": "it uses the number"}]}')
 * remembers({ model, facts: ['The order has the number 7.'] })
 */
export function remembers(
  options: TalkBase & { readonly facts?: readonly string[]; readonly threshold?: number },
): Judge {
  const { name = 'remembers', facts: given, threshold = 1, ...base } = checkTalkBase('remembers', options, rules)
  const calls = modelCalls({ ...base, name })
  const judge: Judge = async (context) => {
    const missing = missingTurns(context)
    if (missing !== undefined) return missing
    const facts = given ?? factsOf(context)
    if (facts.length === 0) return abstain('there are no facts to keep in mind: the scenario has none')
    const read = json(schemaOf(form.read), (value) => factsJudgment(value.facts, facts, threshold))
    const prompt = factsPrompt(context, facts)
    return calls.judge({ prompt, read, options: { responseSchema: form.schema } }, context)
  }
  return modelled(judge, { ...base, name, facts: given, threshold })
}

describeTalkJudge(
  remembers,
  'a model says that the agent neither asks again for what the user told it nor contradicts it',
  rules,
)

function factsOf({ metadata }: JudgmentContext): readonly string[] {
  const { scenario } = metadata
  const facts = isPlainObject(scenario) ? scenario['facts'] : undefined
  if (typeof facts === 'string') return facts.split('\n').filter((fact) => fact.trim() !== '')
  return Array.isArray(facts) ? facts.filter((fact): fact is string => typeof fact === 'string') : []
}

function factsPrompt({ turns = [] }: JudgmentContext, facts: readonly string[]) {
  return prompted({
    ask:
      'You are shown a conversation between a user and an AI agent; the marks of each message carry its number. Decide for each ' +
      'numbered fact whether the agent keeps it in mind once the user has said it: "asked-again" when the agent asks for it later, ' +
      '"contradicted" when it later says or assumes something else, "never-said" when the user does not say it, else "yes".',
    data: { facts: facts.map((fact, index) => `${index + 1}. ${fact}`).join('\n'), ...turnsAsData(turns) },
    answer:
      'Answer with JSON and nothing else: {"facts": [{"fact": <its number>, "kept": <one of the four words>, "why": <one short ' +
      'sentence>}, …]}, one entry for each fact.',
  })
}

function factsJudgment(verdicts: readonly FactVerdict[], facts: readonly string[], threshold: number): Judgment {
  const byFact = new Map(verdicts.map((verdict) => [verdict.fact, verdict]))
  if (verdicts.length !== facts.length || !facts.every((_, index) => byFact.has(index + 1)))
    return abstain('the facts do not have one answer each', { metadata: { unread: 'none' } })
  const said = verdicts.filter(({ kept }) => kept !== 'never-said')
  if (said.length === 0) return abstain('the user said none of the facts')
  const checks = said.map(({ fact, kept, why = '' }) => {
    return { name: `fact-${fact}`, passed: kept === 'yes', message: `${facts[fact - 1] ?? ''}: ${why || kept}` }
  })
  return shareJudgment({ what: 'facts', checks, threshold })
}
