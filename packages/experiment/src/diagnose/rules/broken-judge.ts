import type { DiagnosticInput, DiagnosticRule } from '../diagnosis.js'
import { rule } from './rule.js'

/** A judge or the whole jury broke. */
export const judgeError: DiagnosticRule = rule({
  id: 'judge-error',
  description: 'A judge or the jury broke.',
  category: 'evaluation',
  explain({ judgment, path }) {
    if (judgment.status !== 'error') return null
    return `${path === '' ? 'The jury' : path.slice(1)} broke: ${judgment.reasoning}`
  },
  remedy: {
    target: 'jury',
    action: 'change',
    summary: 'Mend the judge, then judge again.',
    detail: 'Nothing was decided about the agent: rejudge the run once the judge works.',
    confidence: 'high',
  },
})

/** A judge found nothing to judge. */
export const judgeAbstained: DiagnosticRule = rule({
  id: 'judge-abstained',
  description: 'A judge abstained: a model judge could not tell, a deterministic one had nothing to look at.',
  category: 'evaluation',
  explain(input) {
    const { judgment, path } = input
    if (judgment.status !== 'abstain') return null
    const message = `${path.slice(1)} abstained: ${judgment.reasoning}`
    return { message, category: kindOf(input) === 'model' ? 'evaluation' : 'analysis' }
  },
  remedy: {
    target: 'jury',
    action: 'investigate',
    summary: 'See what the judge lacked.',
    detail:
      'A judge without a reference, an output or a file abstains: give the item what it needs, or leave the judge out.',
    confidence: 'medium',
  },
})

/** What kind of judge sits at the place, as the run describes its jury. */
function kindOf({ run, path }: DiagnosticInput): string | undefined {
  return run?.jury?.judges.find((judge) => judge.path === path.slice(1))?.kind
}
