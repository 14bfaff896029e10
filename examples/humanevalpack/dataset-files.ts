import { createHash } from 'node:crypto'
import type { HumanEvalTask } from './tasks.js'
import { testProgram } from './test-program.js'

/** The files of the dataset by path. The hidden test is part of the reference, which agents do not see. */
export function datasetFiles(tasks: readonly HumanEvalTask[], source: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12)
  files.set('.gitignore', 'node_modules/\nresults/\n')
  files.set(
    'dataset.json',
    json({
      schemaVersion: 1,
      name: 'humanevalpack-javascript',
      version,
      description: 'Real bugs in JavaScript functions, from HumanEvalPack.',
      items: tasks.map((task) => ({ id: idOf(task), path: `items/${idOf(task)}`, bucket: task.bug_type })),
    }),
  )
  for (const task of tasks)
    for (const [path, text] of Object.entries(itemFiles(task))) files.set(`items/${idOf(task)}/${path}`, text)
  return files
}

function idOf({ task_id: id }: HumanEvalTask): string {
  return id.replace('/', '-')
}

function itemFiles(task: HumanEvalTask): Readonly<Record<string, string>> {
  return {
    'item.json': json({
      developerTask: task.instruction,
      metadata: {
        entryPoint: task.entry_point,
        bugType: task.bug_type,
        failureSymptoms: task.failure_symptoms,
        taskId: task.task_id,
      },
    }),
    'before/solution.js': task.declaration + task.buggy_solution,
    'before/visible.test.js': testProgram(task.example_test),
    'reference/solution.js': task.declaration + task.canonical_solution,
    'reference/hidden.test.js': testProgram(task.test),
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
