import { isPlainObject, printed } from '@jurist/core/internal'
import { fileName, type SuiteFiles } from './suite-files.js'
import { templateProblem } from './template.js'

/** The prompts of a suite, and why others have no counterpart, with their places. */
export interface SuitePrompts {
  readonly prompts: readonly string[]
  readonly notes: readonly string[]
}

type Read = readonly string[] | { readonly problem: string }

/** Endings of programs, and of other files that promptfoo makes prompts of. */
const special = /\.(?:[cm]?[jt]s|py|json|jsonl|ya?ml|csv|exe|sh|rb|bat)(?::\w+)?$/
const plain = /\.(?:txt|md|j2)$/

/** The prompts: strings, objects with `raw`, and text files in which a line `---` separates prompts. */
export async function readPrompts(value: unknown, files: SuiteFiles): Promise<SuitePrompts> {
  const notes: string[] = []
  const given = value === undefined || value === null ? ['{{prompt}}'] : Array.isArray(value) ? value : [value]
  const all: string[] = []
  for (const [index, one] of given.entries()) {
    const place = `prompts[${index}]`
    notes.push(...unusedKeys(one).map((key) => `${place}.${key} is not taken over.`))
    const read = await readPrompt(isPlainObject(one) ? (one.raw ?? one.id) : one, place, files)
    if ('problem' in read) notes.push(`${place}: ${read.problem}. Write the prompt in jurist.config.yaml.`)
    else
      for (const prompt of read) {
        const problem = /^\s*\[\s*\{/.test(prompt) ? 'is an array of chat messages' : templateProblem(prompt)
        if (problem === undefined) all.push(prompt)
        else notes.push(`${place}: ${problem}. Write the prompt in jurist.config.yaml.`)
      }
  }
  return { prompts: all, notes }
}

function unusedKeys(prompt: unknown): readonly string[] {
  return isPlainObject(prompt) ? Object.keys(prompt).filter((key) => !['raw', 'id', 'label'].includes(key)) : []
}

async function readPrompt(prompt: unknown, place: string, files: SuiteFiles): Promise<Read> {
  if (typeof prompt !== 'string') return { problem: `must be a string (got ${printed(prompt)})` }
  if (/^\w+:\/\//.test(prompt) && !prompt.startsWith('file://')) return { problem: `${prompt} is not a file` }
  const isOneLine = !prompt.includes('\n') && !/\s/.test(prompt.trim())
  const isFile = prompt.startsWith('file://') || (isOneLine && (plain.test(prompt) || special.test(prompt)))
  if (!isFile) return [prompt]
  const name = fileName(prompt)
  if (!plain.test(name) && !name.includes('*')) return { problem: `${prompt} is not a text file` }
  const names = name.includes('*') ? await files.matching(name, place) : [name]
  const texts = await Promise.all(names.map((one) => promptsIn(one, place, files)))
  const other = names.find((one) => !plain.test(one))
  return other === undefined ? texts.flat() : { problem: `${other} is not a text file` }
}

async function promptsIn(name: string, place: string, files: SuiteFiles): Promise<readonly string[]> {
  if (!plain.test(name)) return []
  const text = (await files.text(name, place)) ?? ''
  if (name.endsWith('.md')) return [text]
  const parts = name.endsWith('.txt') ? text.split(/^[^\S\n]*---[^\S\n]*\r?$/m) : [text]
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
