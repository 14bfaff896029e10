import { type Project, project } from '../../project.js'

export const description = 'Signs every greeting with the house mark. Use it for greetings.'

/**
 * Reads skills where real agents do, and asks a model only where there is the address of one. `MODE` changes one thing; what it
 * knows of the arm is what is in its home.
 */
const agent = `
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
const [mode = '', ...words] = process.argv.slice(2)
const prompt = await text(process.stdin)
const place = mode === 'wrong-place' ? '.codex/skills' : mode === 'only-workspace' ? join(process.cwd(), '.agents/skills') : '.agents/skills'
const home = mode === 'other-home' ? '/nonexistent' : process.env.HOME
const directory = place.startsWith('/') ? place : join(home, place)
let names = existsSync(directory) ? readdirSync(directory) : []
if (mode === 'disabled') names = names.filter((name) => name !== 'mark')
if (mode === 'evals-only') names = names.filter((name) => existsSync(join(directory, name, 'evals')))
if (mode === 'needs-manifest') names = names.filter((name) => existsSync(join(directory, name, 'plugin.json')))
if (mode === 'needs-mode') names = names.filter((name) => (statSync(join(directory, name, 'SKILL.md')).mode & 0o111) !== 0)
if (mode === 'too-many') names = names.slice(0, 0)
const read = (name) => readFileSync(join(directory, name, 'SKILL.md'), 'utf8')
let told = names.map((name) => read(name)).join('\\n')
if (mode === 'names-only') told = names.join(', ')
if (mode === 'cut') told = told.slice(0, 40)
if (mode === 'body-only') told = told.split('---').at(-1)
if (mode === 'collision') told = names.map((name) => name + ': another skill of this name').join('\\n')
if (mode === 'always') told = ${JSON.stringify(description)}
if (mode === 'always-reversed') told = names.length > 0 ? '' : ${JSON.stringify(description)}
if (mode === 'upper-case') told = told.toUpperCase()
const url = process.env.OPENAI_BASE_URL
if (mode === 'exits' && names.length > 0) process.exit(1)
if (mode === 'config-broken' && names.length > 0) throw new Error('unexpected token in config')
if (url) {
  const ask = (method, body) => fetch(url + '/chat/completions', { method, ...(body && { body }) })
  if (mode === 'lists-models') await ask('GET')
  else if (mode === 'empty-request') await ask('POST', '{}')
  else if (mode === 'warm-up') { await ask('POST', '{"model":"m"}'); await ask('POST', JSON.stringify({ system: told })) }
  else if (mode !== 'silent') await ask('POST', JSON.stringify({ messages: [{ role: 'system', content: told }, { role: 'user', content: prompt }] }))
  process.exit(1)
}
if (process.env.SEEN) {
  const files = readdirSync('.', { recursive: true }).sort().map((file) => [file, statSync(file).isFile() ? readFileSync(file, 'utf8') : ''])
  writeFileSync(join(process.env.SEEN, names.length + '-' + process.pid + '.json'), JSON.stringify(files))
}
if (process.env.SLOW) await new Promise((resolve) => setTimeout(resolve, 100))
const mark = names.length > 0
console.log(mode === 'backwards' ? (mark ? 'Hello.' : 'Hello. ~mark~') : mode === 'alike' ? 'Hello. ~mark~' : mark ? 'Hello. ~mark~' : 'Hello.')
`

export const skill = {
  'mark/SKILL.md': `---\nname: mark\ndescription: ${description}\n---\nEnd with ~mark~.\n`,
  'mark/references/marks.md': 'All marks.\n',
}

export const greeting = (id: number, more: object = {}) => ({
  id,
  prompt: `Greet guest ${id}.`,
  expected_output: 'a secret answer',
  assertions: ['The output contains "~mark~"'],
  ...more,
})

export const evalsOf = (...evals: readonly object[]) => ({
  'mark/evals/evals.json': JSON.stringify({ skill_name: 'mark', evals }),
})

export const modes = (...names: readonly string[]) =>
  ['agents:', ...names.map((name) => `  ${name}: { command: [node, agent.mjs, ${name}] }`), ''].join('\n')

export function study(evals: readonly object[], config: string = modes('plain')): Project {
  return project({ 'agent.mjs': agent, 'jurist.config.yaml': config, ...skill, ...evalsOf(...evals) })
}

export const twelve = Array.from({ length: 12 }, (_, index) => greeting(index + 1))
