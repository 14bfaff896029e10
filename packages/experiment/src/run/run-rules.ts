import { isPlainObject } from '@jurist/core/internal'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import type { ExperimentIssue } from '../errors.js'
import { anyText, callback, checkFields, fields, texts, yesOrNo } from '../fields.js'
import type { ExperimentOptions } from './experiment.js'
import { runId, type SchemasOf, safeName } from './option-schemas.js'
import type { RunExperimentOptions, SessionOptions } from './run-options.js'

const signal = v.instance(AbortSignal, 'must be an AbortSignal')
const going = {
  signal: v.optional(signal),
  retryErrors: v.optional(yesOrNo),
  widen: v.optional(yesOrNo),
  session: v.optional(safeName),
  onEvent: v.optional(callback),
}

const runSchema = fields({
  ...going,
  variant: v.optional(anyText),
  resume: v.optional(v.union([v.literal('latest'), runId], 'must be the id of a run, or "latest"')),
  dryRun: v.optional(yesOrNo),
  runId: v.optional(runId),
} satisfies SchemasOf<RunExperimentOptions>)

const sessionSchema = fields({
  ...going,
  variants: v.optional(texts),
  order: v.optional(v.picklist(['variant', 'item'], 'must be "variant" or "item"')),
  onVariantError: v.optional(v.picklist(['continue', 'stop'], 'must be "continue" or "stop"')),
  resume: v.optional(yesOrNo),
} satisfies SchemasOf<SessionOptions>)

const wording = { whole: 'options', remedy: 'Correct it, or leave it out.' }

/** One thing that is wrong. */
function issue(field: string, problem: string, remedy: string): ExperimentIssue {
  return Object.freeze({ field, problem, remedy })
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
    ...checkFields(runSchema, options, wording).issues,
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
    ...checkFields(sessionSchema, options, wording).issues,
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
  return [issue(field, `${JSON.stringify(name)} is not a variant.`, remedy)]
}
