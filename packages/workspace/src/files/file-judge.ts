import { type Judge, JuristError, named } from '@jurist/core'
import { checkOptions, option, printed } from '@jurist/core/internal'
import type { ComparisonRules } from './comparator.js'
import { ruleOptions } from './comparison-rules.js'
import type { Language } from './language.js'

/** What a judge of one file takes. */
export interface FileOptions extends ComparisonRules {
  /** The path inside the reference. Default: the same path. */
  readonly reference?: string
}

/**
 * A judge that compares one file of the workspace with one of the reference.
 *
 * A path that cannot be one, or leads out, is told when it judges: ERROR `path-invalid` or `path-escape`.
 *
 * @throws `option-invalid` for a bad option and for a path that is no text
 */
export function fileJudge(name: string, language: Language, path: string, options: FileOptions | undefined): Judge {
  const { reference, ...rules } = checkOptions(name, options, { ...ruleOptions, reference: option.string })
  if (typeof path !== 'string') refusePath(name, path)
  const judge: Judge = async (context) => {
    // Loaded when it is needed: who imports a judge may never run it.
    const { judgeFile } = await import('./judge-file.js')
    return judgeFile({ path, referencePath: reference ?? path, language, rules }, context)
  }
  return named(judge, name)
}

function refusePath(name: string, path: unknown): never {
  throw new JuristError('option-invalid', `${name}: "path" must be the path of a file, not ${printed(path)}.`, {
    option: 'path',
  })
}
