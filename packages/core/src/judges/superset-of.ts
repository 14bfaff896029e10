import { JuristError, type Problems } from '../errors.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge, referenceOption } from '../judge-description.js'
import { abstain, concluded } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import { openedWorkspace, type WorkspaceInput } from '../open-path.js'
import { checkOptions, described, option } from '../options.js'
import { withoutReference } from '../unjudgeable.js'
import type { Workspace } from '../workspace.js'

const ignoreOption = {
  ignore: described(
    option.strings,
    'Paths from the root, or `directory/`, that are left out with everything below them.',
  ),
}

/**
 * Passes when the workspace has every file of the reference with equal bytes; more files are allowed. The score is the
 * share of files that match. Abstains without a reference, or when `ignore` leaves no file of it.
 *
 * @param options `reference`, a workspace or a directory, defaults to `context.reference`; `ignore` lists paths from
 * the root, or `dir/`, that are left out with everything below them (whole segments, no globs)
 *
 * @example
 * import { supersetOf } from '@jurist/core'
 *
 * supersetOf({ ignore: ['target/', 'mvnw'] })
 */
export function supersetOf(options?: {
  readonly reference?: WorkspaceInput
  readonly ignore?: readonly string[]
}): Judge {
  const { reference: given, ignore = [] } = checkOptions('supersetOf', options, {
    reference: option.anything,
    ...ignoreOption,
  })
  const own = given === undefined ? undefined : openedWorkspace('supersetOf', 'reference', given)
  const dropped = ignore.map((token) => token.replace(/\/+$/, '')).filter((token) => token !== '')
  return giveInfo(
    async function supersetOf({ workspace, reference: offered, signal }) {
      const reference = own ?? offered
      if (reference === undefined) return withoutReference()
      const checks: Check[] = []
      for await (const { path, type } of reference.list({ signal }))
        if (type === 'file' && !isBelow(path, dropped)) checks.push(await compare(workspace, reference, path))
      return conclude(checks, reference.root)
    },
    { options: { ignore: options?.ignore } },
  )
}

describeJudge<{ readonly reference?: string; readonly ignore?: readonly string[] }>(supersetOf, {
  passes: 'the workspace has every file of the reference, byte for byte',
  options: { reference: referenceOption, ...ignoreOption },
  make: async ({ reference, ...options }, config) =>
    supersetOf(reference === undefined ? options : { ...options, reference: await config.workspace(reference) }),
})

function conclude(checks: readonly Check[], referenceRoot: string | undefined) {
  if (checks.length === 0) return abstain('the reference has no file to compare')
  const matchedFiles = checks.filter(({ passed }) => passed).length
  const totalFiles = checks.length
  const extras = {
    score: matchedFiles / totalFiles,
    checks,
    metadata: { matchedFiles, totalFiles, ...(referenceRoot !== undefined && { referenceRoot }) },
  }
  const reasoning = `${matchedFiles} of ${totalFiles} files match`
  return concluded(matchedFiles === totalFiles, reasoning, extras)
}

function isBelow(path: string, tokens: readonly string[]): boolean {
  return tokens.some((token) => path === token || path.startsWith(`${token}/`))
}

async function compare(workspace: Workspace, reference: Workspace, path: string): Promise<Check> {
  const message = await difference(workspace, reference, path)
  return { name: path, passed: message === '', message, location: { path } }
}

async function difference(workspace: Workspace, reference: Workspace, path: string): Promise<string> {
  const expected = await reference.readBytes(path)
  try {
    if (!(await workspace.exists(path))) return 'missing'
    if (!(await workspace.isFile(path))) return 'not a file'
    return firstDifference(expected, await workspace.readBytes(path))
  } catch (thrown) {
    const message = JuristError.is(thrown) ? misfits[thrown.code] : undefined
    if (message === undefined) throw thrown
    return message
  }
}

/** An agent's unreadable file may only fail its own check. */
const misfits: { readonly [code in keyof Problems]?: string } = {
  'path-escape': 'link leaves the workspace',
  'too-large': 'too large to be equal',
  'not-a-file': 'not a file',
  'not-found': 'missing',
}

function firstDifference(expected: Uint8Array, found: Uint8Array): string {
  const shorter = Math.min(expected.length, found.length)
  for (let index = 0; index < shorter; index++) if (expected[index] !== found[index]) return `differs at byte ${index}`
  return expected.length === found.length ? '' : `differs at byte ${shorter}`
}
