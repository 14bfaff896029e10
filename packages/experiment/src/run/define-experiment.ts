import { type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ExperimentIssue } from '../errors.js'
import { checkFields } from '../fields.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { experimentRemedies, experimentSchema } from './experiment-options.js'
import { withMatrix } from './matrix.js'

const defined = new WeakSet<object>()

/**
 * Checks an experiment as far as it can be checked without the disk, and returns it frozen.
 *
 * `Input` is the type of `task.input` of its agents: by default that of the `input` of its items in the program. For rows
 * and directories, name it: `defineExperiment<{ city: string }>({ … })`. It is not checked.
 *
 * @throws `experiment-invalid` naming every issue with its remedy
 *
 * @example
 * import { completed, defineExperiment } from '@jurist/experiment'
 *
 * export default defineExperiment({
 *   name: 'sums',
 *   dataset: [{ id: 'two', task: 'What is 1 + 1?', expectedOutput: '2' }],
 *   agent: async () => completed('2'),
 *   repetitions: 3,
 * })
 */
export function defineExperiment<Input = JsonObject | undefined, const Variant extends string = never>(
  options: ExperimentOptions<Variant, Input>,
): Experiment<Variant> {
  const issues = experimentIssues(options)
  if (issues.length > 0) refuseIssues(options, issues)
  const given = Object.entries(withMatrix(options)).filter(([, value]) => value !== undefined)
  const experiment = Object.freeze({ ...Object.fromEntries(given), kind: 'experiment' }) as Experiment<Variant>
  defined.add(experiment)
  return experiment
}

/** Everything that is wrong with the options of an experiment, as far as it can be checked without the disk. */
export function experimentIssues(options: unknown): readonly ExperimentIssue[] {
  // A defined experiment was checked and frozen.
  if (typeof options === 'object' && options !== null && defined.has(options)) return []
  return checkFields(experimentSchema, options, {
    whole: 'options',
    remedies: experimentRemedies,
    remedy: 'Correct it, or leave it out.',
  }).issues
}

/** @throws `experiment-invalid` */
export function refuseIssues(options: unknown, issues: readonly ExperimentIssue[]): never {
  const name = isPlainObject(options) ? options['name'] : undefined
  const what = typeof name === 'string' ? `The experiment ${JSON.stringify(name.slice(0, 80))}` : 'The experiment'
  const count = issues.length === 1 ? 'has an issue' : `has ${issues.length} issues`
  const lines = issues.map(({ field, problem, remedy }) => `  ${field}: ${problem} ${remedy}`)
  throw new JuristError('experiment-invalid', `${what} ${count}:\n${lines.join('\n')}`, { issues })
}
