import type { JudgmentContext } from '../../context.js'
import type { JsonObject } from '../../json.js'
import type { Judge } from '../../judge.js'
import { withoutOutput } from '../../judges/output-text.js'
import { abstain, fail, type Judgment, pass } from '../../judgment.js'
import { described, nonBlank, option } from '../../options.js'
import { asText } from '../../output.js'
import { categorical } from '../../score.js'
import { answerLine } from '../classifiers/labels.js'
import type { RenderedPrompt } from '../model.js'
import { modelCalls, type ReadAnswer } from '../model-calls.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled } from './model-base.js'
import { lineAnswer, type Prompted, promptedBy, reasonsFirst } from './prompted.js'

/** Options of `pairwise`. */
export interface PairwiseOptions extends ModelBase {
  /** The criterion for the better answer. Default: that it meets the goal better. */
  readonly criterion?: string
  /** Returns the answer to compare the output with. Default: the expected output. */
  readonly baseline?: (context: JudgmentContext) => string | undefined
  /** Whether to ask again with the places exchanged. Default true. */
  readonly swap?: boolean
  /** The status of a tie. Default `'abstain'`; with `categories`, where an abstention would not count, `'fail'`. */
  readonly ties?: 'pass' | 'fail' | 'abstain'
  /** Whether the score is the category `candidate`, `baseline` or `tie`, for a jury with `plurality`. Default false. */
  readonly categories?: boolean
}

/** The answer that was chosen, independent of its place. */
type Choice = 'candidate' | 'baseline' | 'tie' | 'unread'
type Places = { readonly [label in 'A' | 'B']: 'candidate' | 'baseline' }

const asWritten: Places = { A: 'candidate', B: 'baseline' }
const exchanged: Places = { A: 'baseline', B: 'candidate' }

/**
 * Asks a model which of two answers is better: the output (the candidate) or a baseline. It asks twice in parallel,
 * with the places exchanged. If the results differ, the place decided and not the answer, and the judge abstains. It
 * also abstains without a baseline, and if an answer cannot be read. Without an output it fails without asking. From L.
 * Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", NeurIPS 2023.
 *
 * @returns a judge; its metadata has `pairwise: { first, second, consistent }`
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { pairwise } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: A')
 * pairwise({ model, criterion: 'Which answer is easier to follow?' })
 */
export function pairwise(options: PairwiseOptions): Judge {
  const given = checkModelBase('pairwise', options, rules)
  const { name = 'pairwise', swap = true, baseline = expectedText, categories = false } = given
  const { ties = categories ? 'fail' : 'abstain' } = given
  const { criterion = 'The better answer is the one that meets the goal better.' } = given
  const { ask, conclude } = modelCalls({ ...given, name })
  const needed = ['A', 'B', ...(given.criterion === undefined ? [] : ['criterion'])]
  const prompted = promptedBy('pairwise', given, { ...shape, needed })
  const places = swap ? [asWritten, exchanged] : [asWritten]
  const judge: Judge = async (context) => {
    const texts = { candidate: context.agentOutput && asText(context.agentOutput), baseline: baseline(context) }
    if (texts.baseline === undefined)
      return abstain(
        'there is no baseline to compare with: give the option "baseline", or the context an "expectedOutput"',
      )
    if (texts.candidate === undefined) return withoutOutput()
    const prompts = places.map((place) =>
      pairPrompt(context.goal, criterion, [texts[place.A], texts[place.B]], prompted),
    )
    const answers = await Promise.all(prompts.map((prompt) => ask({ prompt, read: letters }, context)))
    return conclude(context, answers, (read) => {
      const choices = read.map((answer, call) => choiceOf(answer, places[call] ?? asWritten))
      return { judgment: judgmentOf(choices, ties, categories, confidenceIn(read)) }
    })
  }
  return modelled(judge, { ...given, name })
}

const describedRules = {
  criterion: described(nonBlank, 'What makes an answer the better one. Default: that it meets the goal better.'),
  swap: described(option.boolean, 'Whether to ask again with the places exchanged.', true),
  ties: described(option.oneOf('pass', 'fail', 'abstain'), 'What a tie is. Default: abstain; with categories: fail.'),
  categories: described(option.boolean, 'Whether the score is candidate, baseline or tie, for plurality.', false),
}
const rules = { ...describedRules, baseline: option.function }

describeModelJudge(
  pairwise,
  'a model says, asked twice with the places exchanged, that the output is better than the expected output',
  describedRules,
)

const shape = {
  texts: ['criterion'],
  data: ['goal', 'A', 'B'],
  example: { input: 'goal', output: 'A', baseline: 'B' },
  ...lineAnswer({ pass: 'Answer: A', fail: 'Answer: B', tie: 'Answer: TIE' }),
}

function expectedText({ expectedOutput }: JudgmentContext): string | undefined {
  return expectedOutput && asText(expectedOutput)
}

function pairPrompt(
  goal: string,
  criterion: string,
  [a, b]: readonly (string | undefined)[],
  prompted: Prompted,
): RenderedPrompt {
  return prompted({
    ask:
      'Two answers to the same goal are shown, A and B. Which one is better? Neither their order nor their length makes ' +
      `one better.\n\n${criterion}`,
    texts: { criterion },
    data: { goal: goal.trim() === '' ? undefined : goal, A: a, B: b },
    answer: `${reasonsFirst}: "Answer: A", "Answer: B", or "Answer: TIE" when neither is better.`,
  })
}

/**
 * Any of them may pass, depending on the place of the candidate and the treatment of ties, so each must be the last
 * word.
 */
const letters = answerLine({ pass: ['A', 'B', 'TIE'], fail: [] })

function choiceOf({ judgment }: ReadAnswer, places: Places): Choice {
  const { label } = judgment.metadata
  if (label === 'TIE') return 'tie'
  return label === 'A' || label === 'B' ? places[label] : 'unread'
}

/** The smaller probability over both orders, as metadata; `{}` where an answer has none. */
function confidenceIn(read: readonly ReadAnswer[]): JsonObject {
  const each = read.map(({ judgment }) => judgment.metadata['confidence'])
  const known = each.filter((one) => typeof one === 'number')
  return known.length < each.length ? {} : { confidence: Math.min(...known) }
}

function judgmentOf(
  choices: readonly Choice[],
  ties: 'pass' | 'fail' | 'abstain',
  categories: boolean,
  confidence: JsonObject,
): Judgment {
  const [first = 'unread', second = first] = choices
  const unread = choices.includes('unread')
  const consistent = unread || first === second
  const metadata = { pairwise: { first, ...(choices.length > 1 ? { second } : {}), consistent } }
  if (unread) return abstain('the answer could not be read', { metadata: { ...metadata, unread: 'none' } })
  if (!consistent)
    return abstain(`position sensitivity: ${first} at first, ${second} with the places exchanged`, { metadata })
  const extras = {
    metadata: { ...metadata, ...confidence },
    ...(categories ? { score: categorical(first, ['candidate', 'baseline', 'tie']) } : {}),
  }
  switch (first) {
    case 'candidate':
      return pass('the output is better than the baseline', extras)
    case 'baseline':
      return fail('the baseline is better than the output', extras)
    default:
      return ties === 'abstain'
        ? abstain(tied, { metadata })
        : ties === 'pass'
          ? pass(tied, extras)
          : fail(tied, extras)
  }
}

const tied = 'the output is as good as the baseline'
