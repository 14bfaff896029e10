import type { Check, Judge, Judgment, JudgmentContext } from '@jurist/core'
import { abstain, checkOptions, fail, JuristError, named, normalizePath, option, pass } from '@jurist/core'
import type { ComparisonRules } from './comparator.js'
import type { ContentComparison } from './compare-contents.js'
import { compareEntry, type EntryOutcome } from './compare-entry.js'
import { frozen } from './compare-files.js'
import { ruleOptions } from './comparison-rules.js'
import type { Language } from './language.js'
import { verdictOf } from './match-checks.js'
import { workspaceTree } from './tree/workspace-tree.js'

/** What a judge of one file takes. */
export interface FileOptions extends ComparisonRules {
  /** The path inside the reference. Default: the same path. */
  readonly reference?: string
}

const maxDifferences = 100

/** A judge that compares one file of the workspace with one of the reference. */
export function fileJudge(name: string, language: Language, path: string, options: FileOptions | undefined): Judge {
  const { reference: otherPath, ...rules } = checkOptions(name, options, { ...ruleOptions, reference: option.string })
  const judge = async ({ workspace, reference, signal }: JudgmentContext): Promise<Judgment> => {
    const at = normalizePath(path, 'file')
    // The workspace says whether the path is one, and whether it stays inside.
    await workspace.exists(path)
    if (reference === undefined) return abstain('there is no reference to compare with')
    const outcome = await compareEntry({
      reference: workspaceTree(reference),
      referencePath: normalizePath(otherPath ?? path, 'file'),
      workspace: workspaceTree(workspace),
      path: at,
      language,
      rules,
      signal,
    })
    return judgmentOf(at, language, outcome)
  }
  return named(judge, name)
}

function judgmentOf(path: string, language: Language, outcome: EntryOutcome): Judgment {
  const failed = (name: string, message: string): Check => ({ name, passed: false, message, location: { path } })
  const metadata = { path, language }
  switch (outcome.kind) {
    case 'absent':
      return fail(`${path} is missing`, { checks: [failed('file_exists', outcome.message)], metadata })
    case 'escape':
      throw new JuristError('path-escape', `${JSON.stringify(path)} is a link that leaves the workspace.`, { path })
    case 'unreadable': {
      const checks = [passed('file_exists', 'exists'), failed('file_readable', outcome.message)]
      return fail(`${path} ${outcome.message}`, { checks, metadata })
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
