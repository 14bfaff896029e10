import type { CodingCall } from '../coding/coding-run.js'
import type { CommandPlace } from '../coding/command-place.js'
import { commandPlace } from '../coding/command-place.js'
import { scratchDirectory } from '../coding/scratch-home.js'

/** A prompt in a file that the command can read; gone when it is disposed of. */
export interface PromptFile extends AsyncDisposable {
  /** As the command sees it. */
  readonly path: string
  readonly place: CommandPlace
}

/** Writes a prompt beside the workspace, or into it where its commands see nothing else. */
export async function promptFile(call: CodingCall, prompt: string): Promise<PromptFile> {
  const { writeFile } = await import('node:fs/promises')
  const directory = await scratchDirectory('prompt')
  const close = () => directory[Symbol.asyncDispose]()
  try {
    await writeFile(`${directory.path}/prompt.txt`, prompt)
    const place = await commandPlace(call, directory.path)
    if (place.isHere) return { path: `${directory.path}/prompt.txt`, place, [Symbol.asyncDispose]: close }
    await close()
    return await fileInside(call, prompt, place)
  } catch (thrown) {
    await close()
    throw thrown
  }
}

async function fileInside(
  { task, marker, warnings }: CodingCall,
  prompt: string,
  place: CommandPlace,
): Promise<PromptFile> {
  const name = `.jurist-prompt-${marker}.txt`
  await task.workspace.write(name, prompt)
  const remove = () => task.workspace.remove(name).catch(() => void warnings.push(`prompt-left: ${name}`))
  return { path: `${place.root ?? '.'}/${name}`, place, [Symbol.asyncDispose]: remove }
}
