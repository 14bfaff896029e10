import type { ExperimentResult } from '@jurist/experiment/result'

const notice =
  'isolation none: what agents ran could read your files, your variables and the reference answers; ' +
  'docs/guide/safety.md says how to isolate it'

/** One line where a run with workspaces had no isolation, else `undefined`. */
export function isolationNotice(results: readonly ExperimentResult[]): string | undefined {
  const isOpen = ({ kind, conditions, items }: ExperimentResult) =>
    kind !== 'judge' && conditions['isolation'] === 'none' && items.some(hadWorkspace)
  return results.some(isOpen) ? notice : undefined
}

function hadWorkspace({ workspacePath, beforePath, metadata }: ExperimentResult['items'][number]): boolean {
  return (
    workspacePath !== null ||
    beforePath !== null ||
    metadata['workspaceKept'] === false ||
    metadata['beforeSource'] !== undefined
  )
}
