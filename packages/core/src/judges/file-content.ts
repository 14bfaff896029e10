import type { Check } from '../check.js'
import { JuristError } from '../errors.js'
import type { Judge } from '../judge.js'
import { fail } from '../judgment.js'
import { unjudgeable } from '../unjudgeable.js'
import type { Workspace } from '../workspace.js'
import { concluded } from './concluded.js'
import type { ContentRule } from './content-rule.js'
import { contentTest } from './content-rule.js'
import { checkPath } from './path.js'

/**
 * Passes when the text of a file follows the rule. A missing file fails, and so does one that is no text, too large, or no
 * file at all.
 *
 * @throws `path-invalid`, `option-invalid` or `pattern-invalid`
 *
 * @example
 * fileContent('VERSION', { matches: /^\d+\.\d+\.\d+\n$/ })
 */
export function fileContent(path: string, rule: ContentRule): Judge {
  checkPath(path)
  const { holds, wants } = contentTest('fileContent', rule)
  return async function fileContent({ workspace }) {
    const check = checkAt(path)
    if (!(await workspace.exists(path)))
      return fail(`${path} is missing`, { checks: [check('file_exists', false, 'is missing')] })
    const exists = check('file_exists', true)
    const text = await readSafely(workspace, path)
    if (typeof text !== 'string')
      return unjudgeable(`${path} could not be read: ${text.message}`, {
        code: text.code,
        path,
        checks: [exists, check('file_readable', false, text.message)],
      })
    const matched = await holds(text)
    const message = matched ? '' : `does not ${wants}`
    return concluded(matched, `${path} ${message || 'holds'}`, {
      checks: [exists, check('file_readable', true), check('content_match', matched, message)],
    })
  }
}

function checkAt(path: string): (name: string, passed: boolean, message?: string) => Check {
  return (name, passed, message = '') => ({ name, passed, message, location: { path } })
}

/** The text, or why this file is none; anything else that goes wrong is thrown. */
async function readSafely(workspace: Workspace, path: string): Promise<string | JuristError> {
  try {
    return await workspace.read(path)
  } catch (thrown) {
    const readable = ['not-a-file', 'not-text', 'too-large'] as const
    if (readable.some((code) => JuristError.is(thrown, code))) return thrown as JuristError
    throw thrown
  }
}
