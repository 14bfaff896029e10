import type { Model } from './model.js'

const charsPerToken = 4
const inputUsdPerToken = 3 / 1_000_000
const outputUsdPerToken = 15 / 1_000_000

/**
 * STANDS FOR A REAL MODEL, so that the example runs offline and always alike. It reads the prompt a model would get, and
 * answers by a simple rule: whatever the reference imports or throws, the migration must import or throw too. Tokens are
 * estimated from lengths, and priced like those of a middling model.
 */
export const scriptedModel: Model = async ({ prompt, signal }) => {
  signal.throwIfAborted()
  const done = factsOf(section(prompt, 'migration'))
  const missing = [...factsOf(section(prompt, 'reference'))].filter((fact) => !done.has(fact))
  const text = missing.length === 0 ? 'PASS: another form, the same behaviour' : `FAIL: it lacks ${missing.join(' ')}`
  const inputTokens = Math.ceil(prompt.length / charsPerToken)
  const outputTokens = Math.ceil(text.length / charsPerToken)
  const costUsd = inputTokens * inputUsdPerToken + outputTokens * outputUsdPerToken
  return { text, usage: { inputTokens, outputTokens }, costUsd }
}

/** What is between the marks of a section of the prompt. */
function section(prompt: string, name: string): string {
  const marks = new RegExp(`^<<${name} (?<fence>[\\w-]+)>>\\n(?<text>[^]*?)\\n<<end ${name} \\k<fence>>>$`, 'm')
  const text = marks.exec(prompt)?.groups?.['text']
  if (text === undefined) throw new Error(`The scripted model finds no section "${name}" in the prompt.`)
  return text
}

function factsOf(source: string): ReadonlySet<string> {
  return new Set(source.match(/^import [^;]+;|\bthrow new [^;]+;/gm))
}
