import { checkOptions, failureOf, option } from '@jurist/core/internal'
import type { ExperimentResult } from '../result/records.js'
import { defaultRules } from './default-rules.js'
import type { Diagnosis, DiagnosticInput, DiagnosticRule, Finding, Remediation } from './diagnosis.js'
import { distributionOf, dominantOf } from './distribution.js'
import { inputsOf, type ReadJournal } from './inputs.js'
import { isNamed, mergedRemedies, remediesOf } from './remediations.js'
import { type DiagnosedTrial, perItemOf, stabilityOf, unstableFindings } from './stability.js'

/** How runs are diagnosed. */
export interface DiagnoseOptions {
  /** Tried in order. Default `defaultRules`. */
  readonly rules?: readonly DiagnosticRule[]
  /** Reads the journal of a trial. Default: what the phases of its invocation tell. */
  readonly journals?: ReadJournal
  /** Asked once, only for what no rule resolves; what its remedies name as a source is resolved. */
  readonly explain?: (unresolved: readonly Finding[]) => Promise<readonly Remediation[]>
}

const fewRuns = 3

/**
 * Why trials did not pass, over one run or several: each failed check is given to rules, the first that explains it puts it
 * into a category; items that end differently from trial to trial are named; what to do comes ordered by how much it is about.
 *
 * @throws `option-invalid`
 *
 * @example
 * const { dominant, remediations, unresolved } = await diagnose([first, second, third])
 */
export async function diagnose(results: readonly ExperimentResult[], options?: DiagnoseOptions): Promise<Diagnosis> {
  const {
    rules = defaultRules,
    journals,
    explain,
  } = checkOptions('diagnose', options, {
    rules: { wants: 'a list of rules', holds: Array.isArray },
    journals: option.function,
    explain: option.function,
  })
  const warnings = warningsOf(results)
  const trials = await diagnosedTrials(results, rules, journals, warnings)
  const perItem = perItemOf(trials)
  const findings = [...trials.flatMap((trial) => trial.findings), ...unstableFindings(perItem)]
  const unresolved = findings.filter(({ category }) => category === null)
  const explained = await explanations(unresolved, explain, warnings)
  return {
    runs: results.length,
    findings,
    distribution: distributionOf(findings),
    dominant: dominantOf(findings),
    perItem,
    stability: stabilityOf(perItem),
    remediations: mergedRemedies([...remediesOf(findings, rules), ...explained]),
    unresolved: unresolved.filter((finding) => !isNamed(finding, explained)),
    warnings,
  }
}

async function diagnosedTrials(
  results: readonly ExperimentResult[],
  rules: readonly DiagnosticRule[],
  journals: ReadJournal | undefined,
  warnings: string[],
): Promise<readonly DiagnosedTrial[]> {
  const trials: DiagnosedTrial[] = []
  for (const run of results)
    for (const item of run.items) {
      const inputs = await inputsOf(item, run, results, journals)
      trials.push({ item, findings: inputs.flatMap((input) => findingsOf(input, rules, warnings)) })
    }
  return trials
}

/** What the first rule finds that finds anything; what no rule explains has no category. */
function findingsOf(input: DiagnosticInput, rules: readonly DiagnosticRule[], warnings: string[]): readonly Finding[] {
  for (const rule of rules) {
    const found = matched(rule, input, warnings)
    if (found.length > 0) return found
  }
  const { item, path, check, judgment } = input
  const { itemId, repetition } = item
  return [{ itemId, repetition, path, check, category: null, rule: null, message: judgment.reasoning }]
}

function matched(rule: DiagnosticRule, input: DiagnosticInput, warnings: string[]): readonly Finding[] {
  try {
    return rule.match(input)
  } catch (thrown) {
    const warning = `The rule ${rule.id} threw and found nothing: ${failureOf(thrown).message}`
    if (!warnings.includes(warning)) warnings.push(warning)
    return []
  }
}

async function explanations(
  unresolved: readonly Finding[],
  explain: DiagnoseOptions['explain'],
  warnings: string[],
): Promise<readonly Remediation[]> {
  if (explain === undefined || unresolved.length === 0) return []
  try {
    return await explain(unresolved)
  } catch (thrown) {
    warnings.push(`What no rule resolves could not be explained: ${failureOf(thrown).message}`)
    return []
  }
}

function warningsOf(results: readonly ExperimentResult[]): string[] {
  const isJudged = results.some(({ items }) => items.some(({ judged }) => judged !== 'not-judged'))
  return [
    ...(results.length < fewRuns
      ? [`Only ${results.length} of at least ${fewRuns} runs: chance may look like a cause.`]
      : []),
    ...(isJudged ? [] : ['Nothing was judged: that says nothing about failures.']),
  ]
}
