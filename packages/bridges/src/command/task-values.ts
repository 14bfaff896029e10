import { JuristError } from '@jurist/core'
import type { CodingCall } from '../coding/coding-run.js'
import { inlinedPrompt } from '../coding/coding-run.js'
import type { CommandTemplate, CommandValues } from './template.js'

/** The text of the prompt; a system prompt stands before it unless the command has a place for it. */
export function taskPrompt(call: CodingCall, { variables }: CommandTemplate): string {
  return variables.has('systemPrompt') ? call.task.prompt : inlinedPrompt(call)
}

/** The values of a task; `prompt` is its text or the path of its file. */
export function valuesOf({ task, model }: CodingCall, prompt: string): CommandValues {
  const values: { readonly [name: string]: string | undefined } = {
    prompt,
    systemPrompt: task.systemPrompt,
    model,
    workspace: task.workspace.root,
    timeoutSeconds: task.timeoutMs === undefined ? undefined : String(Math.ceil(task.timeoutMs / 1_000)),
  }
  return (name) => (name.startsWith('metadata.') ? printedValue(task.metadata?.[name.slice(9)]) : values[name])
}

function printedValue(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
      return String(value)
    default:
      return undefined
  }
}

/** A file with the prompt, outside the workspace, and gone afterwards. */
export async function promptPath(
  { home, task }: CodingCall,
  prompt: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  const { mkdtemp, rm, writeFile } = await import('node:fs/promises')
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')
  if (task.workspace.root === undefined)
    throw new JuristError(
      'option-invalid',
      'commandAgent: promptThrough "file" needs a workspace in a local directory. Give promptThrough: "stdin".',
      { option: 'promptThrough' },
    )
  const directory = await mkdtemp(join(home ?? tmpdir(), 'prompt-'))
  const path = join(directory, 'prompt.txt')
  await writeFile(path, prompt)
  return { path, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}
