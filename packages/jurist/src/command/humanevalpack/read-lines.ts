import { JuristError } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'
import type { DatasetProblem } from '@jurist/experiment'

const fields = [
  'task_id',
  'declaration',
  'instruction',
  'buggy_solution',
  'canonical_solution',
  'example_test',
  'test',
  'entry_point',
  'bug_type',
  'failure_symptoms',
] as const

/** One bug of HumanEvalPack, as its line says. */
export type HumanEvalTask = { readonly [field in (typeof fields)[number]]: string }

/**
 * The JavaScript tasks of a HumanEvalPack file of JSON lines.
 *
 * @throws `dataset-invalid` naming every bad line by its number
 */
export function readHumanEvalPack(text: string, file: string): readonly HumanEvalTask[] {
  const issues: DatasetProblem[] = []
  const seen = new Map<string, number>()
  const tasks = text.split('\n').flatMap((line, index): readonly HumanEvalTask[] => {
    if (line.trim() === '') return []
    const task = readLine(line, (field, problem, remedy) => {
      const place = field === null ? `line ${index + 1}` : `line ${index + 1}, ${field}`
      issues.push({ file, item: null, field: place, problem, remedy, severity: 'error' })
    })
    const first = task === undefined ? undefined : seen.get(task.task_id)
    if (first !== undefined)
      issues.push({
        file,
        item: null,
        field: `line ${index + 1}, task_id`,
        problem: `${printed(task?.task_id)} is used twice (line ${first}).`,
        remedy: 'Give each task its own id.',
        severity: 'error',
      })
    if (task !== undefined) seen.set(task.task_id, index + 1)
    return task === undefined ? [] : [task]
  })
  if (issues.length > 0 || tasks.length === 0) refuse(file, issues)
  return tasks
}

type Note = (field: string | null, problem: string, remedy: string) => void

function readLine(line: string, note: Note): HumanEvalTask | undefined {
  const value = parsed(line, note)
  if (value === undefined) return undefined
  const wrong = fields.filter((field) => typeof value[field] !== 'string')
  for (const field of wrong)
    note(field, `must be a text, not ${printed(value[field])}.`, 'Use a file of HumanEvalPack as it was published.')
  if (wrong.length > 0) return undefined
  const task = value as HumanEvalTask
  const [, language, number] = /^([^/]+)\/(\d+)$/.exec(task.task_id) ?? []
  if (language === 'JavaScript' && number !== undefined) return task
  if (language === undefined) note('task_id', `${printed(task.task_id)} is no id like JavaScript/0.`, 'Use such ids.')
  else note('task_id', `the language ${language} is not supported.`, 'Use the JavaScript part of HumanEvalPack.')
  return undefined
}

function parsed(line: string, note: Note): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (isPlainObject(value)) return value
    note(null, `is ${printed(value)}, not an object.`, 'Write one JSON object a line.')
  } catch (thrown) {
    note(null, `is not JSON: ${thrown instanceof Error ? thrown.message : thrown}.`, 'Write one JSON object a line.')
  }
  return undefined
}

const shown = 20

function refuse(path: string, issues: readonly DatasetProblem[]): never {
  const lines = issues.slice(0, shown).map(({ field, problem, remedy }) => `  ${field}: ${problem} ${remedy}`)
  const more = issues.length > shown ? [`  … and ${issues.length - shown} more`] : []
  const what =
    issues.length === 0 ? 'holds no task. Give a file of JSON lines.' : 'cannot be imported. Nothing was written.'
  throw new JuristError('dataset-invalid', [`${path} ${what}`, ...lines, ...more].join('\n'), { path, issues })
}
