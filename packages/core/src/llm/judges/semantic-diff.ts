import type { Check } from '../../check.js'
import type { JudgmentContext } from '../../context.js'
import type { Judge } from '../../judge.js'
import { withInfo } from '../../judge.js'
import type { Judgment } from '../../judgment.js'
import { abstain, scored } from '../../judgment.js'
import { option } from '../../options.js'
import { passFail } from '../classifiers/labels.js'
import { defaultMaxChars } from '../fence.js'
import type { RenderedPrompt } from '../prompt.js'
import type { ModelBase } from './model-base.js'
import { checkModelBase, nonBlankTexts } from './model-base.js'
import { modelCalls } from './model-calls.js'
import { prompted, reasonsFirst } from './question.js'
import { verifyLines } from './verify-lines.js'
import { workspaceChanges } from './workspace-changes.js'

const passOrFail = passFail('PASS', 'FAIL')

/**
 * Asks a model, for each criterion of its own, whether what changed in the workspace since `context.before` (else since
 * `context.reference`) satisfies it: one call a criterion, all at once, each shown the files added, removed and changed
 * with their lines, 100,000 characters in all. Criteria are those given, else the `VERIFY:` lines of `plan`, else those
 * of a text `metadata.plan`. Abstains without criteria, without something to compare with, and when no answer can be
 * read.
 *
 * @param options `maxCriteria` default 20; `threshold` for the share of criteria that hold among those read, default 1
 * @returns a judge; a check for each criterion, metadata `criteriaTotal`, `criteriaRead`, `criteriaPassed`;
 * `criteriaLeftOut` where there were more than may be asked, `charsLeftOut` where the changes were more than is shown
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
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
  const judge: Judge = async (context) => {
    const all = given.criteria ?? planned(given.plan, context)
    const criteria = all.slice(0, maxCriteria)
    if (criteria.length === 0) return abstain('there is no criterion: give "criteria", or a plan with VERIFY: lines')
    const base = context.before ?? context.reference
    if (base === undefined) return abstain('there is no earlier or right workspace to compare with')
    const changes = await workspaceChanges(base, context.workspace, context.signal)
    const prompts = criteria.map((criterion) => changePrompt(context, criterion, changes))
    const answers = await Promise.all(prompts.map((prompt) => ask(prompt, context)))
    return conclude(context, answers, async (responses) => {
      const read = await Promise.all(responses.map((response) => passOrFail(response, context)))
      const leftOut = { criteriaLeftOut: all.length - criteria.length, charsLeftOut: changes.length - defaultMaxChars }
      return judgmentOf(criteria, read, leftOut, threshold)
    })
  }
  return withInfo(judge, { name, kind: 'model' })
}

const rules = {
  criteria: nonBlankTexts,
  plan: option.string,
  maxCriteria: option.integer(1),
  threshold: option.rate,
}

function planned(plan: string | undefined, { metadata }: JudgmentContext): readonly string[] {
  const text = plan ?? (Object.hasOwn(metadata, 'plan') ? metadata['plan'] : undefined)
  return typeof text === 'string' ? verifyLines(text) : []
}

/** The criterion is fenced too: a plan may be the work of an agent. */
function changePrompt({ goal, before }: JudgmentContext, criterion: string, changes: string): RenderedPrompt {
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

function judgmentOf(
  criteria: readonly string[],
  judgments: readonly Judgment[],
  leftOut: { readonly [what: string]: number },
  threshold: number,
): Judgment {
  const read = judgments.filter(({ status }) => status === 'pass' || status === 'fail')
  const passed = read.filter(({ status }) => status === 'pass').length
  const checks = judgments.map((judgment, index) => checkOf(judgment, criteria[index] ?? ''))
  const counts = { criteriaTotal: criteria.length, criteriaRead: read.length, criteriaPassed: passed }
  const metadata = { ...counts, ...Object.fromEntries(Object.entries(leftOut).filter(([, count]) => count > 0)) }
  if (read.length === 0) return abstain('no answer could be read', { checks, metadata })
  const reasoning = `${passed} of ${read.length} criteria hold`
  return scored(passed / read.length, { passingAt: threshold, reasoning, checks, metadata })
}

function checkOf({ status, reasoning }: Judgment, criterion: string): Check {
  const decided = status === 'pass' || status === 'fail'
  return { name: criterion, passed: status === 'pass', message: decided ? reasoning : 'not decided' }
}
