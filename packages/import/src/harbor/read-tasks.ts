import { join, relative } from 'node:path'
import { usageInvalid } from '@jurist/experiment/plugin'
import { digestOf, filesOf, listedProblems, type Refuse, taskDirectories, taskId, textOf } from '../task-directories.js'
import { readTaskFile, type TaskFile } from './task-file.js'

/** A task on disk. */
export interface HarborTask {
  readonly id: string
  readonly directory: string
  /** The directory as messages name it. */
  readonly shown: string
  readonly file: TaskFile
  readonly instruction: string
  readonly hasSolution: boolean
  /** SHA-256 (hex) of its files. */
  readonly digest: string
}

/**
 * Reads the tasks of a directory: the directory itself, or all directories below it that contain a task.toml. Links are
 * not followed.
 *
 * @throws `usage-invalid` with every problem
 */
export async function readTasks(
  directory: string,
  shownAs: string,
): Promise<{
  readonly tasks: readonly HarborTask[]
  /** Tasks that cannot be imported, with the reason. */
  readonly leftOut: readonly { readonly task: string; readonly reason: string }[]
}> {
  const places = await taskDirectories(directory, 'task.toml')
  if (places.length === 0)
    throw usageInvalid('source', `${shownAs} holds no task.toml. Name the directory of a Harbor task, or one of tasks.`)
  const problems: string[] = []
  const tasks: HarborTask[] = []
  const leftOut: { task: string; reason: string }[] = []
  const ids = new Set<string>()
  for (const place of places) {
    const shown = join(shownAs, relative(directory, place))
    const refuse = (file: string, problem: string) => void problems.push(`${join(shown, file)}: ${problem}`)
    const id = taskId(directory, place, ids)
    const task = await readTask(place, { id, shown }, refuse)
    if (task === undefined) continue
    if (task.file.steps.length === 0) tasks.push(task)
    else leftOut.push({ task: shown, reason: stepsReason(task.file.steps) })
  }
  if (problems.length === 0 && tasks.length > 0) return { tasks, leftOut }
  const lines = [...problems, ...(tasks.length > 0 ? [] : leftOut.map(({ task, reason }) => `${task}: ${reason}`))]
  throw usageInvalid('source', `${shownAs} cannot be imported. Nothing was written.\n${listedProblems(lines)}`)
}

function stepsReason(steps: readonly string[]): string {
  return `is a task of ${steps.length} steps (${steps.slice(0, 5).join(', ')}). Tasks with [[steps]] cannot be imported; make one task of each step.`
}

async function readTask(
  directory: string,
  { id, shown }: Pick<HarborTask, 'id' | 'shown'>,
  refuse: Refuse,
): Promise<HarborTask | undefined> {
  const files = await filesOf(directory, refuse)
  if (files === undefined) return undefined
  const text = await textOf(directory, 'task.toml', files, refuse)
  const refuseAt = (place: string, problem: string) =>
    refuse('task.toml', `${place === '' ? '' : `${place}: `}${problem}`)
  const file = text === undefined ? undefined : readTaskFile(text, refuseAt)
  if (file && file.steps.length > 0)
    return { id, directory, shown, file, instruction: '', hasSolution: false, digest: '' }
  const instruction = await textOf(directory, 'instruction.md', files, refuse)
  if (instruction?.trim() === '') refuse('instruction.md', 'is empty. Write what the agent is to do.')
  if (!files.has('tests/test.sh')) refuse('tests/test.sh', 'is missing, which gives the reward.')
  if (!file || !instruction || instruction.trim() === '' || !files.has('tests/test.sh')) return undefined
  const hasSolution = files.has('solution/solve.sh')
  return { id, directory, shown, file, instruction, hasSolution, digest: await digestOf(directory, files) }
}
