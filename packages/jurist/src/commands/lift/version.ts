import { realpathSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { usageInvalid } from '@jurist/experiment/plugin'
import { checkoutOf } from '@jurist/workspace'
import { readingGit, repositoryAround } from '@jurist/workspace/internal'
import { readSubject, type Subject, type SubjectKind } from './subject.js'

/** A version of a subject, for as long as it is needed. */
export interface Version extends AsyncDisposable {
  readonly subject: Subject
}

const timeoutMs = 60_000

/**
 * Another version of the subject at a path: another path, or a commit of the repository that it is in.
 *
 * @throws `usage-invalid` for what is neither
 */
export async function versionOf(
  kind: SubjectKind,
  path: string,
  given: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<Version> {
  const isPath = await access(resolve(cwd, given)).then(
    () => true,
    () => false,
  )
  if (isPath) return { subject: await readSubject(kind, given, cwd), [Symbol.asyncDispose]: async () => {} }
  const place = realpathSync(resolve(cwd, path))
  const tree = repositoryAround(resolve(place, kind === 'file' || kind === 'mcp' ? '..' : '.'))?.tree ?? null
  const commit = tree === null ? null : await commitOf(tree, given)
  if (tree === null || commit === null)
    throw usageInvalid('--against', `${given} is neither a path nor a commit of the repository of ${path}. Name one.`)
  const checkout = await checkoutOf({ repository: tree, ref: commit }, { signal })
  const dispose = () => checkout[Symbol.asyncDispose]()
  try {
    const subject = await readSubject(kind, relative(tree, place), checkout.root)
    return { subject, [Symbol.asyncDispose]: dispose }
  } catch (thrown) {
    await dispose()
    throw thrown
  }
}

async function commitOf(tree: string, given: string): Promise<string | null> {
  try {
    return await readingGit({ cwd: tree, timeoutMs }, (git) =>
      git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${given}^{commit}`]),
    )
  } catch (thrown) {
    if (JuristError.is(thrown, 'git-failed')) return null
    throw thrown
  }
}
