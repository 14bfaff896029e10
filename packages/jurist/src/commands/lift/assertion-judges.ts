import type { Json } from '@jurist/core'
import type { Assertion, Eval } from './evals.js'
import type { Subject } from './subject.js'

/** The judge of one assertion; `null`: only a model could judge it. */
export interface AssertionJudge {
  readonly text: string
  readonly by: 'rule' | 'model' | 'nothing'
  readonly judge: Json
  /** Whether it is about following the skill, which only one arm can do. */
  readonly isObedience: boolean
}

const quoted = '(["\'`])((?:(?!\\1).)+)\\1'
const answer = '(?:the )?(?:final )?(?:output|response|answer|reply)'
const path = '(["\'`])([^\\s"\'`]+)\\1'
const maker = '(?:(?:the )?(?:agent|output|it) )?'

type Rule = readonly [sentence: string, judge: (...literals: readonly string[]) => Json]

const not = (judge: Json): Json => ({ type: 'not', judge })
const outputHas = (contains: string): Json => ({ type: 'output-text', contains })
const exists = (file: string): Json => ({ type: 'file-exists', path: file })

/** Sentences that a rule decides: closed, in English. One that fits only in part goes to the model. */
const rules: readonly Rule[] = [
  [`${answer} (?:contains|mentions|includes) ${quoted}`, (_, text = '') => outputHas(text)],
  [`${answer} does not (?:contain|mention|include) ${quoted}`, (_, text = '') => not(outputHas(text))],
  [`${answer} is valid json`, () => ({ type: 'output-json' })],
  [
    `${maker}(?:creates|writes|saves)(?: a| the)?(?: file)?(?: called| named| at| to)? ${path}`,
    (_, file = '') => exists(file),
  ],
  [`(?:the )?(?:file )?${path} exists`, (_, file = '') => exists(file)],
  [`${maker}does not create(?: a| the)?(?: file)?(?: called| named| at)? ${path}`, (_, file = '') => not(exists(file))],
  [
    `(?:the )?(?:file )?${path} (?:contains|includes) ${quoted.replaceAll('\\1', '\\3')}`,
    (_, file = '', __, text = '') => ({ type: 'file-content', path: file, contains: text }),
  ],
]

const compiled = rules.map(([sentence, judge]) => [new RegExp(`^${sentence}\\.?$`, 'i'), judge] as const)

/** The judges of an eval, by rule where a rule fits, else by the model. */
export function judgesOf(
  { assertions, expected }: Eval,
  subject: Subject,
  model: string | undefined,
): readonly AssertionJudge[] {
  const byModel = (text: string, judge: Json): Pick<AssertionJudge, 'by' | 'judge' | 'text'> =>
    model === undefined ? { text, by: 'nothing', judge: null } : { text, by: 'model', judge }
  if (assertions.length === 0 && expected !== null)
    return [{ ...byModel(`as expected: ${expected}`, { type: 'correctness', model: model ?? '' }), isObedience: false }]
  return assertions.map((assertion) => {
    const ruled = assertion.check ?? ruleFor(assertion)
    const judged: Pick<AssertionJudge, 'by' | 'judge' | 'text'> =
      ruled === undefined
        ? byModel(assertion.text, { type: 'criteria', criterion: assertion.text, model: model ?? '' })
        : { text: assertion.text, by: 'rule', judge: ruled }
    return { ...judged, isObedience: namesSubject(assertion.text, subject) }
  })
}

function ruleFor({ text }: Assertion): Json | undefined {
  for (const [sentence, judge] of compiled) {
    const found = sentence.exec(text)
    if (found !== null) return judge(...found.slice(1))
  }
  return undefined
}

/** The bare name does not count: a skill may be called "pdf". */
function namesSubject(text: string, { kind, name, files, signs }: Subject): boolean {
  const words = {
    skill: [`${name} skill`, `skill ${name}`, 'SKILL.md', ...files.filter((file) => file.includes('/'))],
    file: files,
    mcp: signs,
    plugin: [`${name} plugin`, `plugin ${name}`, `${name}:`],
  }[kind]
  return words.some((word) => text.toLowerCase().includes(word.toLowerCase()))
}
