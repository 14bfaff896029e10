import { isTestFile } from '@jurist/kit/code-languages'
import { globMatcher } from '@jurist/workspace/internal'

/** The files of a reference that an agent would write. */
export interface Solution {
  readonly files: readonly string[]
  readonly isPart: (path: string) => boolean
}

/** Chooses the files of a reference that the globs match. Default: all but tests, or all files if there are only tests. */
export async function solutionOf(paths: readonly string[], globs: readonly string[] | undefined): Promise<Solution> {
  if (globs !== undefined) {
    const isPart = await globMatcher(globs)
    return { files: paths.filter(isPart), isPart }
  }
  const files = paths.filter((path) => !isTestFile(path))
  return files.length > 0 ? { files, isPart: (path) => !isTestFile(path) } : { files: paths, isPart: () => true }
}
