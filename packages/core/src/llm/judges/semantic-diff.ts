import type { JudgmentContext } from '../../context.js'
import type { Judge } from '../../judge.js'
import { describeJudge } from '../../judge-description.js'
import { abstain, fail, type Judgment, scored } from '../../judgment.js'
import type { Check } from '../../judgment-record.js'
import { described, option } from '../../options.js'
import { meets } from '../../score.js'
import { passFail } from '../classifiers/labels.js'
import type { RenderedPrompt } from '../model.js'
import { verifyLines } from './correctness.js'
import { checkModelBase, type ModelBase, modelBaseOptions, modelled, nonBlankTexts, withModelOf } from './model-base.js'
import { type Conclusion, modelCalls } from './model-calls.js'
import { lineAnswer } from './own-prompt.js'
import { type Prompted, promptedBy, reasonsFirst } from './prompted.js'
import { type ShownChanges, shownChanges } from './workspace-changes.js'

const passOrFail = passFail('PASS', 'FAIL')

/**
 * Asks a model, for each criterion, whether the changes in the workspace since `context.before` (or else
 * `context.reference`) satisfy it. There is one call for each criterion, in parallel; each shows the files added,
 * removed and changed with their lines, 100,000 characters in all. Criteria are those given, or else the `VERIFY:`
 * lines of `plan`, or else those of the string `metadata.plan`. Abstains without criteria and without anything to
 * compare with. Also abstains when unreadable answers, criteria that were not asked, or changes that were not shown
 * might turn a pass into a fail.
 *
 * @param options `maxCriteria` default 20; `threshold` for the share of all criteria that hold, default 1
 * @returns a judge; a check for each criterion, metadata `criteriaTotal` (asked), `criteriaRead`, `criteriaPassed`;
 * `criteriaLeftOut` where there were more than the limit, `charsLeftOut` where the changes were longer than the limit,
 * `filesLeftOut` where changed files were not shown: not text, too large, or below a `node_modules` that is not an
 * installation
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { semanticDiff } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: PASS')
 * semanticDiff({ model, criteria: ['Every caller of the old function was moved to the new one.'] })
 */
export function semanticDiff(
  options: ModelBase & {
    readonly criteria?: readonly string[]
    readonly plan?: string
    readonly maxCriteria?: number
    readonly threshold?: number
  },
): Judge {
  const given = checkModelBase('semanticDiff', options, rules)
  const { name = 'semanticDiff', maxCriteria = 20, threshold = 1 } = given
  const { ask, conclude } = modelCalls({ ...given, name })
  const prompted = promptedBy('semanticDiff', given, shape)
  const judge: Judge = async (context) => {
    const all = given.criteria ?? planned(given.plan, context)
    const criteria = all.slice(0, maxCriteria)
    if (criteria.length === 0) return abstain('there is no criterion: give "criteria", or a plan with VERIFY: lines')
    const base = context.before ?? context.reference
    if (base === undefined)
      return abstain('there is no workspace to compare with: give the context "before" or "reference"')
    const changes = await shownChanges(base, context.workspace, context.signal)
    const questions = criteria.map((criterion) => ({
      prompt: changePrompt(context, criterion, changes.text, prompted),
      read: passOrFail,
    }))
    const asked = await Promise.all(questions.map((question) => ask(question, context)))
    return conclude(context, asked, (read) => {
      const answers = read.map(({ judgment }) => judgment)
      return judgmentOf({ criteria: all, answers, changes, threshold })
    })
  }
  return modelled(judge, { ...given, name })
}

const rules = {
  criteria: described(nonBlankTexts, 'What the changes must satisfy, a sentence each. Default: the lines of the plan.'),
  plan: described(option.string, 'A plan whose VERIFY: lines are the criteria. Default: metadata.plan.'),
  maxCriteria: described(option.integer(1), 'How many criteria are asked at most.', 20),
  threshold: described(option.rate, 'The share of the criteria that must hold.', 1),
}

describeJudge<Parameters<typeof semanticDiff>[0]>(semanticDiff, {
  passes: 'a model says that the changes in the workspace satisfy the criteria',
  options: { ...modelBaseOptions, ...rules },
  required: ['model'],
  make: (options, config) => semanticDiff(withModelOf(options, config)),
})

const shape = {
  data: ['goal', 'changes', 'criterion'],
  needed: ['changes', 'criterion'],
  example: { input: 'criterion', output: 'changes' },
  ...lineAnswer({ pass: 'Answer: PASS', fail: 'Answer: FAIL' }),
}

function planned(plan: string | undefined, { metadata }: JudgmentContext): readonly string[] {
  const text = plan ?? (Object.hasOwn(metadata, 'plan') ? metadata['plan'] : undefined)
  return typeof text === 'string' ? verifyLines(text) : []
}

/** The criterion is fenced too: a plan may be the work of an agent. */
function changePrompt(
  { goal, before }: JudgmentContext,
  criterion: string,
  changes: string,
  prompted: Prompted,
): RenderedPrompt {
  const from = before === undefined ? 'what is known to be right' : 'what the agent began with'
  const shown =
    changes === ''
      ? 'No file was added, removed or changed.'
      : 'A list of the files comes first, then each with its lines: "-" was taken away, "+" was added.'
  return prompted({
    ask: `Do the changes satisfy the criterion? The changes lead from ${from} to what the agent left. ${shown}`,
    data: {
      goal: goal.trim() === '' ? undefined : goal,
      changes: changes === '' ? undefined : changes,
      criterion,
    },
    answer: `${reasonsFirst}: "Answer: PASS" when the criterion is satisfied, "Answer: FAIL" when it is not.`,
  })
}

interface Answers {
  /** All criteria, including those beyond the limit, which were not asked. */
  readonly criteria: readonly string[]
  readonly answers: readonly Judgment[]
  readonly changes: ShownChanges
  readonly threshold: number
}

/** A pass and a fail must hold whatever the missing answers would be. */
function judgmentOf({ criteria, answers, changes, threshold }: Answers): Conclusion {
  const count = (status: Judgment['status']) => answers.filter((answer) => answer.status === status).length
  const [passed, failed] = [count('pass'), count('fail')]
  const checks = criteria.map((criterion, index) => checkOf(answers[index], criterion))
  const { charsLeftOut, filesLeftOut } = changes
  const leftOut = { criteriaLeftOut: criteria.length - answers.length, charsLeftOut, filesLeftOut }
  const counts = { criteriaTotal: answers.length, criteriaRead: passed + failed, criteriaPassed: passed }
  const metadata = { ...counts, ...Object.fromEntries(Object.entries(leftOut).filter(([, some]) => some > 0)) }
  const isPass = meets(passed / criteria.length, threshold)
  const isFail = !meets((criteria.length - failed) / criteria.length, threshold)
  const isUnseen = charsLeftOut > 0 || filesLeftOut > 0
  if (isFail || (isPass && !isUnseen)) {
    const reasoning = `${passed} of ${criteria.length} criteria hold`
    const score = isFail ? passed / Math.max(1, passed + failed) : passed / criteria.length
    const verdict = { passingAt: threshold, reasoning, checks, metadata }
    return { judgment: isFail ? fail(reasoning, { score, checks, metadata }) : scored(score, verdict), isOpen: false }
  }
  const unread = passed + failed < answers.length ? { unread: 'none' } : {}
  const reasoning = whyUndecided({ ...leftOut, answersUnread: answers.length - passed - failed, passed, failed })
  return { judgment: abstain(reasoning, { checks, metadata: { ...metadata, ...unread } }), isOpen: !isPass }
}

function whyUndecided(counts: { readonly [what: string]: number }): string {
  const { criteriaLeftOut = 0, charsLeftOut = 0, filesLeftOut = 0, answersUnread = 0, passed = 0, failed = 0 } = counts
  if (passed + failed === 0) return 'no answer could be read'
  const parts = [
    answersUnread > 0 ? `${answersUnread} answers could not be read` : '',
    criteriaLeftOut > 0 ? `${criteriaLeftOut} criteria were not asked: raise "maxCriteria"` : '',
    charsLeftOut > 0 ? `${charsLeftOut} characters of the changes were not shown` : '',
    filesLeftOut > 0 ? `${filesLeftOut} changed files were not shown` : '',
  ]
  return `${passed} criteria hold, but ${parts.filter((part) => part !== '').join(', ')}`
}

function checkOf(answer: Judgment | undefined, criterion: string): Check {
  if (answer === undefined) return { name: criterion, passed: false, message: 'not asked' }
  const decided = answer.status === 'pass' || answer.status === 'fail'
  return { name: criterion, passed: answer.status === 'pass', message: decided ? answer.reasoning : 'not decided' }
}
