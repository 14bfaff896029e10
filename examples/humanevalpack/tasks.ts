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

/** One bug of HumanEvalPack. */
export type HumanEvalTask = { readonly [field in (typeof fields)[number]]: string }

const mostPrinted = 20

/**
 * The JavaScript tasks of a HumanEvalPack file of JSON lines.
 *
 * @throws Error that names every bad line by its number
 */
export function readTasks(text: string, file: string): readonly HumanEvalTask[] {
  const problems: string[] = []
  const seen = new Map<string, number>()
  const tasks = text.split('\n').flatMap((line, index): readonly HumanEvalTask[] => {
    if (line.trim() === '') return []
    const number = index + 1
    try {
      const task = taskOf(JSON.parse(line))
      const first = seen.get(task.task_id)
      if (first !== undefined) throw new Error(`the task_id ${task.task_id} is used twice (line ${first}).`)
      seen.set(task.task_id, number)
      return [task]
    } catch (thrown) {
      problems.push(`  line ${number}: ${(thrown as Error).message}`)
      return []
    }
  })
  if (problems.length > mostPrinted) problems.splice(mostPrinted, problems.length, `  and more problems`)
  if (problems.length > 0) throw new Error([`${file} cannot be imported.`, ...problems].join('\n'))
  if (tasks.length === 0) throw new Error(`${file} has no task. Use a file of JSON lines.`)
  return tasks
}

function taskOf(value: unknown): HumanEvalTask {
  const record = Object(value) as Readonly<Record<string, unknown>>
  const wrong = fields.filter((field) => typeof record[field] !== 'string')
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')} must be strings, as in the published HumanEvalPack.`)
  const task = record as HumanEvalTask
  const [, language] = /^([^/]+)\/\d+$/.exec(task.task_id) ?? []
  if (language === 'JavaScript') return task
  throw new Error(`${task.task_id} is not supported. Use the JavaScript part of HumanEvalPack (JavaScript/0, …).`)
}
