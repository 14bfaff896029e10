import { JuristError } from '@jurist/core'

/** One thing that is wrong with a config. */
export interface ConfigIssue {
  /** Where in the config, such as `experiments.add-readme.repetitions`; with line and column in a YAML or JSON file. */
  readonly path: string
  readonly problem: string
  /** What to do about it. */
  readonly remedy: string
}

declare module '@jurist/core' {
  interface Problems {
    'usage-invalid': { readonly argument: string }
    'config-invalid': { readonly file: string; readonly issues: readonly ConfigIssue[] }
  }
}

/** A wrong argument of the command. */
export function usageInvalid(argument: string, message: string): JuristError<'usage-invalid'> {
  return new JuristError('usage-invalid', message, { argument })
}

/** A wrong config, with everything that is wrong with it. */
export function configInvalid(
  file: string,
  issues: readonly ConfigIssue[],
  cause?: unknown,
): JuristError<'config-invalid'> {
  const lines = issues.map(({ path, problem, remedy }) => {
    return `  ${path === '' ? '' : `${path}: `}${problem}${remedy === '' ? '' : ` ${remedy}`}`
  })
  const message = `${file} cannot be used. Nothing was run.\n${lines.join('\n')}`
  return new JuristError('config-invalid', message, { file, issues }, cause === undefined ? undefined : { cause })
}
