// A scripted agent: it reads skills where real agents do, and asks a model only if there is an address of one.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const prompt = await text(process.stdin)
const directory = join(process.env.HOME, '.agents/skills')
const skills = existsSync(directory)
  ? readdirSync(directory).map((name) => readFileSync(join(directory, name, 'SKILL.md'), 'utf8'))
  : []
if (process.env.OPENAI_BASE_URL) {
  const messages = [
    { role: 'system', content: `Skills:\n${skills.join('\n')}` },
    { role: 'user', content: prompt },
  ]
  const body = JSON.stringify({ model: 'scripted', messages })
  const answer = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`The model answers ${answer.status}.`)
}
const change = existsSync('basket.diff') ? 'wrong total of an empty basket' : prompt.replace(/^.*change: /, '')
const isRepair = /wrong|crash|loops|lost/.test(change)
const kind = isRepair ? 'fix' : /README|typos|example/.test(change) ? 'docs' : 'feat'
const isHabit = /crash|wrong total/.test(change)
console.log(skills.length > 0 || isHabit ? `${kind}: ${change}` : change)
