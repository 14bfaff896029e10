import { nearestOrAll } from '@jurist/kit/did-you-mean'
import { finite, nonBlank, objectOf, recordOf } from '../../field-rules.js'
import { checkRequired, described, type OptionDescription, option, optionInvalid, printed } from '../../options.js'
import { partsOf, type TemplatePart, templateInvalid, templateText } from '../template.js'

/** An example of a judgment, shown to the model. */
export interface JudgedExample {
  /** The task: the goal, the question, or for `semanticDiff` the criterion. */
  readonly input?: string
  /** The output to judge. */
  readonly output?: string
  /** The retrieved text, for the judges of `rag`. */
  readonly context?: string
  /** The answer to compare with, for `pairwise`. */
  readonly baseline?: string
  /**
   * The right judgment: a number where the judge asks for a score; for `rubric` a number for each criterion by name.
   */
  readonly verdict: 'pass' | 'fail' | 'tie' | number | { readonly [criterion: string]: number }
  readonly reason?: string
}

/** The parts of a judge's prompt that a user may change. */
export interface OwnPrompt {
  /**
   * The question, instead of the built-in one: a template, or the file of one, with a slot such as `{{output}}` for
   * everything the judge shows. The system message and the form of the answer stay those of the judge, and data is
   * always fenced.
   */
  readonly prompt?: string | { readonly file: string }
  /** Examples of the judgment. The model sees them before the question. */
  readonly examples?: readonly JudgedExample[]
}

/** The parts of a prompt that a judge lets the user change. */
export interface PromptShape {
  /** The slots for data, which is fenced. */
  readonly data: readonly string[]
  /** The slots for the judge's own words. Default: none. */
  readonly texts?: readonly string[]
  /** The slots that a template must have: without them the model would not see what it judges. */
  readonly needed: readonly string[]
  /** The slot of each part of an example. The judge does not accept other parts. */
  readonly example: { readonly [part in 'input' | 'output' | 'context' | 'baseline']?: string }
  /** Writes a verdict in the form of the model's answer; `undefined` for a verdict that the judge cannot give. */
  readonly answer: (verdict: unknown, reason: string | undefined) => string | undefined
  /** Completes "must be …" for verdicts. */
  readonly verdicts: string
}

export interface OwnParts {
  readonly template?: readonly TemplatePart[]
  readonly examples: readonly ShownExample[]
}

interface ShownExample {
  /** Keyed by slot. */
  readonly data: { readonly [slot: string]: string }
  readonly answer: string
}

const mostExamples = 20
const promptFile = objectOf('{ file }', {
  file: described(nonBlank, 'The path of the template, relative to the config.'),
})
const exampleTexts = {
  input: described(nonBlank, 'What was asked.'),
  output: described(nonBlank, 'What is judged.'),
  context: described(nonBlank, 'What was retrieved.'),
  baseline: described(nonBlank, 'What the output is compared with.'),
  reason: described(nonBlank, 'Why.'),
}
/** The verdicts of all judges; the rule of one judge is narrower. */
const anyVerdict = option.either(option.oneOf('pass', 'fail', 'tie'), finite, recordOf('an object of numbers', finite))
const exampleRule = objectOf(
  'an example',
  {
    ...exampleTexts,
    verdict: described(anyVerdict, 'The right judgment: pass or fail, or a score where the judge asks for one.'),
  },
  Object.keys(exampleTexts),
)

export const ownPromptOptions: { readonly [name in keyof Required<OwnPrompt>]: OptionDescription } = {
  prompt: {
    ...option.either(nonBlank, promptFile),
    wants: 'a template that is not blank, or { file }',
    description:
      'Your own question: a template with a slot such as {{output}} for each part that is shown, or { file }. Jurist adds the form of the answer.',
  },
  examples: {
    wants: `an array of 1 to ${mostExamples} examples`,
    holds: (value) => Array.isArray(value) && value.length > 0 && value.length <= mostExamples,
    schema: { type: 'array', minItems: 1, maxItems: mostExamples, items: exampleRule.schema ?? {} },
    description: 'Examples of the judgment, shown to the model first.',
  },
}

/**
 * @param where the name of the factory, for messages
 * @throws `template-invalid` for an unknown or missing slot; `option-invalid` for an example that does not fit the
 * judge
 */
export function ownParts(where: string, { prompt, examples = [] }: OwnPrompt, shape: PromptShape): OwnParts {
  const shown = examples.map((example, index) => shownExample(`example ${index + 1} of ${where}`, example, shape))
  return prompt === undefined
    ? { examples: shown }
    : { template: checkedTemplate(where, prompt, shape), examples: shown }
}

function checkedTemplate(
  where: string,
  prompt: NonNullable<OwnPrompt['prompt']>,
  { data, texts = [], needed }: PromptShape,
): readonly TemplatePart[] {
  const text = templateText(where, prompt)
  const parts = partsOf(text)
  const used = parts.flatMap((part) => (part.type === 'variable' ? [part.name] : []))
  const slots = [...texts, ...data]
  const problems = [
    ...(text.trim() === '' ? ['it is blank'] : []),
    ...[...new Set(used)]
      .filter((name) => !slots.includes(name))
      .map((name) => `there is no slot {{${name}}}. ${nearestOrAll(name, slots).replace(/\.$/, '')}`),
    ...needed
      .filter((name) => !used.includes(name))
      .map((name) => `the slot {{${name}}} is missing: ${why(name, data)}`),
  ]
  if (problems.length === 0) return parts
  throw templateInvalid(where, problems)
}

function why(name: string, data: readonly string[]): string {
  return data.includes(name) ? 'the model would not see what it judges' : `the option "${name}" would do nothing`
}

function shownExample(where: string, example: JudgedExample, shape: PromptShape): ShownExample {
  const verdict = { wants: shape.verdicts, holds: (value: unknown) => shape.answer(value, undefined) !== undefined }
  const checked = checkRequired<JudgedExample>(where, example, { ...exampleTexts, verdict }, ['verdict'])
  const parts = (['input', 'output', 'context', 'baseline'] as const).filter((part) => checked[part] !== undefined)
  const misplaced = parts.find((part) => shape.example[part] === undefined)
  if (misplaced !== undefined) {
    const possible = Object.keys(shape.example).join(', ')
    optionInvalid('examples', `${where}: this judge shows no "${misplaced}". It shows: ${possible}.`)
  }
  if (parts.length === 0) optionInvalid('examples', `${where}: it shows nothing. Give it an "output".`)
  const data = parts.map((part) => [shape.example[part], checked[part]])
  return { data: Object.fromEntries(data), answer: shape.answer(checked.verdict, checked.reason) ?? '' }
}

/** The answer ends with one line, such as `Answer: YES`. */
export function lineAnswer(lines: { readonly [verdict: string]: string }): Pick<PromptShape, 'answer' | 'verdicts'> {
  const names = Object.keys(lines).map(printed)
  return {
    verdicts: `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    answer: (verdict, reason) => {
      const line = typeof verdict === 'string' && Object.hasOwn(lines, verdict) ? lines[verdict] : undefined
      return line && withReason(reason, line)
    },
  }
}

export function scoreAnswer(scale: {
  readonly min: number
  readonly max: number
}): Pick<PromptShape, 'answer' | 'verdicts'> {
  return {
    verdicts: `a score from ${scale.min} to ${scale.max}`,
    answer: (verdict, reason) =>
      typeof verdict === 'number' && verdict >= scale.min && verdict <= scale.max
        ? withReason(reason, `Score: ${verdict}`)
        : undefined,
  }
}

export const yesOrNoAnswer: Pick<PromptShape, 'answer' | 'verdicts'> = lineAnswer({
  pass: 'Answer: YES',
  fail: 'Answer: NO',
})

function withReason(reason: string | undefined, line: string): string {
  return reason === undefined ? line : `Reasoning: ${reason}\n${line}`
}
