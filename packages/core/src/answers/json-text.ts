import type { Json } from '../json.js'
import type { AgentOutput } from '../output.js'
import { maxTextLength, plainText } from './expected-answer.js'

/** JSON that an agent wrote, or why it cannot be judged. `code` is the name of a check. */
export type JsonRead =
  | { readonly value: Json }
  | { readonly code: 'json-invalid' | 'json-ambiguous' | 'too-large'; readonly problem: string }

const maxDepth = 200
const maxValues = 100_000

/**
 * The JSON of an answer: its data, or its whole text, or with `fenced` the one block of it in a ```json fence. A key that is
 * written twice is refused, since readers differ in which of the two they take, and so are the key `__proto__`, more than
 * 200 levels and more than 100,000 values.
 */
export function readJson(output: AgentOutput, fenced: boolean): JsonRead {
  if (output.type === 'structured') return withinLimits(output.data)
  const text = plainText(output)
  if (text.length > maxTextLength)
    return tooLarge(`the output has ${text.length} characters, and at most ${maxTextLength} are judged`)
  const whole = parsed(text)
  if (!fenced || !('code' in whole) || whole.code !== 'json-invalid') return whole
  const blocks = fencedBlocks(text)
  if (blocks.length > 1) return { code: 'json-ambiguous', problem: `the output has ${blocks.length} JSON blocks` }
  return blocks[0] === undefined ? whole : parsed(blocks[0])
}

function parsed(text: string): JsonRead {
  try {
    const value = JSON.parse(text) as Json
    const repeated = keyProblem(text)
    return repeated === undefined ? withinLimits(value) : { code: 'json-ambiguous', problem: repeated }
  } catch {
    return { code: 'json-invalid', problem: 'the output is not JSON' }
  }
}

function tooLarge(problem: string): JsonRead {
  return { code: 'too-large', problem }
}

/** Level by level, so that no depth exhausts the stack. */
function withinLimits(value: Json): JsonRead {
  let level: readonly Json[] = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return tooLarge(`the JSON of the output is nested deeper than ${maxDepth} levels`)
    count += level.length
    if (count > maxValues) return tooLarge(`the JSON of the output has more than ${maxValues} values`)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return { value }
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gsu

/** What is wrong with the keys of a text that is JSON. */
function keyProblem(text: string): string | undefined {
  const open: Set<string>[] = []
  let last = ''
  for (const [found] of text.matchAll(token)) {
    if (found === '{' || found === '[') open.push(new Set())
    else if (found === '}' || found === ']') open.pop()
    else if (found === ':') {
      const key = JSON.parse(last) as string
      if (key === '__proto__') return 'the JSON of the output has the key "__proto__"'
      const keys = open.at(-1)
      if (keys?.has(key)) return `the JSON of the output has the key ${JSON.stringify(key.slice(0, 60))} twice`
      keys?.add(key)
    } else last = found
  }
  return undefined
}

/** What is between a line "```json" and the next line "```". */
function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = []
  let lines: string[] | undefined
  for (const line of text.split('\n')) {
    const mark = line.trim().toLowerCase()
    if (lines === undefined && mark === '```json') lines = []
    else if (lines !== undefined && mark === '```') {
      blocks.push(lines.join('\n'))
      lines = undefined
    } else lines?.push(line)
  }
  return blocks
}
