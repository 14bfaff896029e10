import { JuristError } from '../errors.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge, pathOption } from '../judge-description.js'
import { concluded, fail } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import { checkOptions, option } from '../options.js'
import { unjudgeable } from '../unjudgeable.js'
import { normalizePath, type Workspace } from '../workspace.js'
import { type ContentRule, contentOptions, contentTest, type DescribedRule } from './content-rule.js'

/**
 * Passes when `path` exists in the workspace and has the requested type.
 *
 * @param options `type` defaults to `'any'`
 * @throws `path-invalid` for a blank path
 *
 * @example
 * import { fileExists, jury } from '@jurist/core'
 *
 * jury({ judges: { readme: fileExists('README.md') } })
 */
export function fileExists(path: string, options?: { readonly type?: 'file' | 'directory' | 'any' }): Judge {
  const { type = 'any' } = checkOptions('fileExists', options, { type: option.oneOf('file', 'directory', 'any') })
  checkPath(path)
  return giveInfo(
    async function fileExists({ workspace }) {
      const problem = await missing(workspace, path, type)
      const passed = problem === ''
      const checks = [{ name: 'file_exists', passed, message: problem, location: { path } }]
      return concluded(passed, `${path} ${problem || 'exists'}`, { checks })
    },
    { options: { path, type } },
  )
}

// A config has no option "type", because that is the name of the judge there.
describeJudge<{ readonly path: string }>(fileExists, {
  passes: 'a path exists in the workspace',
  options: { path: pathOption },
  required: ['path'],
  make: ({ path, ...options }) => fileExists(path, options),
})

async function missing(workspace: Workspace, path: string, type: 'file' | 'directory' | 'any'): Promise<string> {
  if (!(await workspace.exists(path))) return 'is missing'
  if (type === 'any') return ''
  const isFile = normalizePath(path) !== '.' && (await workspace.isFile(path.replace(/\/+$/, '')))
  if (type === 'file') return isFile ? '' : 'is not a file'
  return !isFile && (await isDirectory(workspace, path)) ? '' : 'is not a directory'
}

/** The port identifies directories only in listings. */
async function isDirectory(workspace: Workspace, path: string): Promise<boolean> {
  const wanted = normalizePath(path)
  if (wanted === '.') return true
  const parent = wanted.includes('/') ? wanted.slice(0, wanted.lastIndexOf('/')) : '.'
  for await (const entry of workspace.list({ under: parent }))
    if (entry.path === wanted)
      return entry.type === 'directory' || (entry.type === 'symlink' && leadsOn(workspace, wanted))
  return false
}

/** An existing link that is not a file leads to a directory, as far as the port can tell. */
async function leadsOn(workspace: Workspace, path: string): Promise<boolean> {
  return (await workspace.exists(path)) && !(await workspace.isFile(path))
}

/**
 * Passes when the content of a file follows the rule. Fails when the file is missing, too large, not text, or not a
 * file.
 *
 * @throws `path-invalid`, `option-invalid` or `pattern-invalid`
 *
 * @example
 * import { fileContent } from '@jurist/core'
 *
 * fileContent('VERSION', { matches: /^\d+\.\d+\.\d+\n$/ })
 */
export function fileContent(path: string, rule: ContentRule): Judge {
  checkPath(path)
  const { holds, wants } = contentTest('fileContent', rule)
  return giveInfo(
    async function fileContent({ workspace }) {
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
    },
    { options: { path, ...rule } },
  )
}

describeJudge<{ readonly path: string } & DescribedRule>(fileContent, {
  passes: 'the text of a file follows a rule',
  options: { path: pathOption, ...contentOptions },
  required: ['path'],
  make: ({ path, ...rule }) => fileContent(path, rule as ContentRule),
})

function checkAt(path: string): (name: string, passed: boolean, message?: string) => Check {
  return (name, passed, message = '') => ({ name, passed, message, location: { path } })
}

/** Returns the error if the file cannot be read as text; throws any other error. */
async function readSafely(workspace: Workspace, path: string): Promise<string | JuristError> {
  try {
    return await workspace.read(path)
  } catch (thrown) {
    const readable = ['not-a-file', 'not-text', 'too-large'] as const
    if (readable.some((code) => JuristError.is(thrown, code))) return thrown as JuristError
    throw thrown
  }
}

/** A path that leads out of the workspace is refused later, when the judge runs. */
function checkPath(path: string): void {
  if (typeof path === 'string' && path.trim() !== '') return
  const problem = path === undefined ? 'There is no "path".' : 'The path is blank.'
  throw new JuristError('path-invalid', `${problem} Name a file of the workspace.`, { path: String(path) })
}
