import { isPlainObject, type OptionRule, option } from '@jurist/core/internal'
import type { ExperimentIssue } from '../errors.js'
import { isRunId, isSafeName, reservedNames } from '../store/names.js'
import type { ExperimentOptions } from './experiment.js'
import { issue, nearestOrAll, optionIssues } from './option-issues.js'
import type { RunExperimentOptions, SessionOptions } from './run-options.js'

type RulesFor<Options> = { readonly [name in keyof Required<Options>]: OptionRule }

const runId: OptionRule = { wants: 'a run id such as 20261121T091500123Z-4kq7rm', holds: isRunId }
const safeName: OptionRule = {
  wants: `a name of 1 to 64 letters, digits, ".", "_" or "-" that is not reserved (${reservedNames})`,
  holds: isSafeName,
}
const signal: OptionRule = { wants: 'an AbortSignal', holds: (value) => value instanceof AbortSignal }

const runRules: RulesFor<RunExperimentOptions> = {
  variant: option.string,
  signal,
  resume: option.either(runId, option.oneOf('latest')),
  retryErrors: option.boolean,
  widen: option.boolean,
  dryRun: option.boolean,
  session: safeName,
  runId,
  onEvent: option.function,
}

const sessionRules: RulesFor<SessionOptions> = {
  session: safeName,
  variants: option.strings,
  order: option.oneOf('variant', 'item'),
  onVariantError: option.oneOf('continue', 'stop'),
  signal,
  resume: option.boolean,
  retryErrors: option.boolean,
  widen: option.boolean,
  onEvent: option.function,
}

/** What is wrong with the options of a run, and with its choice of a variant. */
export function runIssues(experiment: ExperimentOptions, options: RunExperimentOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return [issue('options', 'must be an object.', 'Leave it out for the defaults.')]
  const { variant, retryErrors, resume, widen } = options
  const known = variantNames(experiment)
  const missing =
    variant === undefined && known.length > 0
      ? [
          issue(
            'variant',
            'must be named: the experiment has variants.',
            `Name one of ${known.join(', ')}, or use runSession.`,
          ),
        ]
      : []
  return [
    ...optionIssues(options as { readonly [key: string]: unknown }, runRules),
    ...(typeof variant === 'string' ? unknownVariant('variant', variant, known) : []),
    ...missing,
    ...(retryErrors === true && resume === undefined ? [needsResume('retryErrors', 'Say which run goes on.')] : []),
    ...(widen === true && resume === undefined ? [needsResume('widen', 'Say which run goes on.')] : []),
  ]
}

/** What is wrong with the options of a session, and with its choice of variants. */
export function sessionIssues(experiment: ExperimentOptions, options: SessionOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return [issue('options', 'must be an object.', 'Leave it out for the defaults.')]
  const known = variantNames(experiment)
  const { variants, retryErrors, resume, widen } = options
  const none =
    known.length === 0 ? [issue('variants', 'are missing.', 'Give the experiment variants, or use runExperiment.')] : []
  const chosen = Array.isArray(variants) ? variants.filter((name) => typeof name === 'string') : []
  const twice = chosen.filter((name, index) => chosen.indexOf(name) !== index)
  return [
    ...optionIssues(options as { readonly [key: string]: unknown }, sessionRules),
    ...none,
    ...(retryErrors === true && resume !== true ? [needsResume('retryErrors', 'Set it to true.')] : []),
    ...(widen === true && resume !== true ? [needsResume('widen', 'Set it to true.')] : []),
    ...(known.length === 0 ? [] : chosen.flatMap((name) => unknownVariant('variants', name, known))),
    ...twice.map((name) =>
      issue('variants', `names ${JSON.stringify(name)} twice.`, 'A session runs each variant once.'),
    ),
  ]
}

function needsResume(field: string, remedy: string): ExperimentIssue {
  return issue(field, 'needs "resume".', remedy)
}

/** The names of the variants, in the order of their keys. */
export function variantNames({ variants }: ExperimentOptions): readonly string[] {
  return isPlainObject(variants) ? Object.keys(variants) : []
}

function unknownVariant(field: string, name: string, known: readonly string[]): readonly ExperimentIssue[] {
  if (known.includes(name)) return []
  const remedy = known.length === 0 ? 'The experiment has no variants: leave it out.' : nearestOrAll(name, known)
  return [issue(field, `${JSON.stringify(name)} is no variant.`, remedy)]
}
