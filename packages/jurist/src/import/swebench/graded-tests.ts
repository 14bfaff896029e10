import { fileList, reported, splitWords, usualTestCommand } from '../git/project-commands.js'
import { isRunnable } from '../git/project-paths.js'
import type { Instance } from './instances.js'
import { isFailOnly, parserNameOf } from './repository-parsers.js'
import type { InstanceTrees } from './repository-trees.js'

/** The judge of an instance, and what a person should know of it. */
export interface GradedTests {
  readonly judge: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/**
 * The judge of an instance: the tests of its patch, laid over a copy of the work.
 *
 * @param line what runs the tests; `undefined`: the usual command of such a project
 * @param known the parsers that there are
 * @returns the judge, or what it lacks
 */
export function gradedTests(
  instance: Instance,
  { testFiles, deleted, root }: InstanceTrees,
  line: string | undefined,
  known: readonly string[],
): GradedTests | { readonly problem: string } {
  const { id, failToPass, passToPass, version } = instance
  const command = line ?? usualTestCommand(root)?.shown
  if (command === undefined) return { problem: 'how its tests run is not known: give --test-command' }
  const named = parserNameOf(instance, line !== undefined)
  const isUnknown = named !== undefined && !known.includes(named)
  const run = runOf(
    command,
    testFiles.filter((path) => isRunnable(path) && !path.startsWith('-')),
    isUnknown ? undefined : named,
  )
  const judge = {
    type: 'swebench-grade',
    failToPass,
    passToPass,
    ...run,
    ...(run.parser !== undefined && isFailOnly(instance) ? { failOnly: true } : {}),
    instanceId: id,
    ...(version === undefined ? {} : { version }),
    ...(testFiles.length === 0 ? {} : { overlay: { paths: testFiles } }),
  }
  const notes = [
    ...(isUnknown ? [`the parser ${named} is unknown, so that a report of the tests is needed`] : []),
    ...(testFiles.length === 0 ? ['no test is hidden: test_patch adds none'] : []),
    ...(failToPass.length === 0 ? ['FAIL_TO_PASS is empty, so that doing nothing may pass'] : []),
    ...deleted.map((path) => `test_patch deletes ${path}, which stays`),
  ]
  return { judge, notes }
}

interface Run {
  readonly command: string | readonly string[]
  readonly parser?: string
  readonly reports?: string
}

/** The command with the test files in it, and how its results are read. */
function runOf(line: string, files: readonly string[], parser: string | undefined): Run {
  const words = splitWords(line)
  if (words === undefined) return { command: fileList(line, files), ...(parser === undefined ? {} : { parser }) }
  const filled = words.flatMap((word) => (word === '{files}' ? files : [word]))
  const isPytest = words.some((word) => word === 'pytest' || word.endsWith('/pytest'))
  if (isPytest) {
    const summary = words.some((word) => /^-r\w/.test(word)) ? [] : ['-rA']
    return { command: [...filled, ...summary], parser: parser ?? 'pytest_v2' }
  }
  return parser === undefined ? reported(filled) : { command: filled, parser }
}
