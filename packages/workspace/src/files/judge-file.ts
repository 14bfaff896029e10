import type { Check, Judgment, JudgmentContext } from '@jurist/core'
import { fail, pass, unjudgeable } from '@jurist/core'
import { normalizePath, withoutReference } from '@jurist/core/internal'
import type { Comparing, ContentComparison } from './compare-contents.js'
import { compareEntry, type EntryOutcome } from './compare-entry.js'
import { frozen } from './compare-files.js'
import type { Language } from './language.js'
import { verdictOf } from './match-trees.js'
import { workspaceTree } from './tree/file-tree.js'

const maxDifferences = 100

/** Judges one file, with checked options. */
export async function judgeFile(
  { path, referencePath, language, rules }: Comparing & { readonly path: string; readonly referencePath: string },
  { workspace, reference, signal }: JudgmentContext,
): Promise<Judgment> {
  const at = normalizePath(path, 'file')
  if (reference === undefined) return withoutReference()
  const outcome = await compareEntry({
    reference: workspaceTree(reference),
    referencePath: normalizePath(referencePath, 'file'),
    workspace: workspaceTree(workspace),
    path: at,
    language,
    rules,
    signal,
  })
  return judgmentOf(at, language, outcome)
}

function judgmentOf(path: string, language: Language, outcome: EntryOutcome): Judgment {
  const failed = (name: string, message: string): Check => ({ name, passed: false, message, location: { path } })
  const metadata = { path, language }
  switch (outcome.kind) {
    case 'absent':
      return fail(`${path} is missing`, { checks: [failed('file_exists', outcome.message)], metadata })
    case 'escape':
    case 'unreadable': {
      const checks = [passed('file_exists', 'exists'), failed('file_readable', outcome.message)]
      const code = outcome.kind === 'escape' ? 'path-escape' : 'not-a-file'
      return unjudgeable(`${path}: ${outcome.message}`, { code, checks, metadata })
    }
    case 'compared':
      return judgmentOn(path, outcome.comparison)
    default:
      return outcome satisfies never
  }
}

function passed(name: string, message: string): Check {
  return { name, passed: true, message }
}

function judgmentOn(path: string, comparison: ContentComparison): Judgment {
  const { message, line } = verdictOf(comparison)
  const matches = comparison.result !== 'differs'
  const location = line === undefined ? { path } : { path, line }
  const checks = [
    passed('file_exists', 'exists'),
    passed('file_readable', 'can be read'),
    { name: 'content_match', passed: matches, message, ...(matches ? {} : { location }) },
  ]
  const { language, by, notes, differences } = frozen(comparison)
  const shown = differences.slice(0, maxDifferences).map((difference) => ({ ...difference }))
  const omitted = differences.length - shown.length
  const metadata = { path, language, by, notes, differences: shown, ...(omitted > 0 ? { omitted } : {}) }
  return matches ? pass(`${path} matches`, { checks, metadata }) : fail(`${path}: ${message}`, { checks, metadata })
}
